//! Pins of a map: connected pixels of a PNG, or shapes of an SVG, that have one colour.
//!
//! Any PNG is read: palettes and 16 bits as 8 bits a channel, interlaced or not; what is transparent is as any other. Of an SVG, circles,
//! ellipses and rectangles whose `fill` is the colour are pins, in the units of its `viewBox`, or of its width and height.
//!
//! Does not   understand transformations, paths, symbols and style sheets of an SVG.

use std::path::Path;

use png::{BitDepth, ColorType, Decoder, Limits, Transformations};
use regex_lite::Regex;
use throng_core::geocode::pin_map::{Pin, pins};
use throng_core::{Error, Result};

use crate::limits;

/// The pins of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct PinImage {
    /// The centres, from the outer corner at the top left.
    pub pins: Vec<Pin>,
    /// Width and height.
    pub size: (f64, f64),
}

impl PinImage {
    /// Reads an image for pins of a colour.
    pub fn read(path: &Path, marker: [u8; 3]) -> Result<Self> {
        let bytes = limits::read_file(path, "the map ", limits::MOST_IMAGE_BYTES)?;
        Self::of(&bytes, marker).map_err(|error| error.in_file(path.display().to_string()))
    }

    fn of(bytes: &[u8], marker: [u8; 3]) -> Result<Self> {
        if bytes.starts_with(b"\x89PNG") {
            return of_png(bytes, marker);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) if text.contains("<svg") => of_svg(text, marker),
            _ => Err(Error::data("neither a PNG nor an SVG image")),
        }
    }
}

fn of_png(bytes: &[u8], marker: [u8; 3]) -> Result<PinImage> {
    let damaged = |cause: png::DecodingError| Error::data("the PNG image is damaged, or too large").with_cause(cause);
    let mut decoder = Decoder::new_with_limits(std::io::Cursor::new(bytes), Limits { bytes: limits::MOST_PIXEL_BYTES });
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(damaged)?;
    let size = reader.output_buffer_size().filter(|&size| size <= limits::MOST_PIXEL_BYTES);
    let mut pixels = vec![0; size.ok_or_else(|| Error::data("the PNG image has too many pixels"))?];
    let info = reader.next_frame(&mut pixels).map_err(damaged)?;
    let channels = match (info.color_type, info.bit_depth) {
        (ColorType::Grayscale, BitDepth::Eight) => 1,
        (ColorType::GrayscaleAlpha, BitDepth::Eight) => 2,
        (ColorType::Rgb, BitDepth::Eight) => 3,
        (ColorType::Rgba, BitDepth::Eight) => 4,
        _ => return Err(Error::data("a PNG image whose pixels are not known")),
    };
    let is_marked = |pixel: &[u8]| if channels < 3 { [pixel[0]; 3] == marker } else { pixel[..3] == marker };
    let marked: Vec<bool> = pixels
        .chunks_exact(info.line_size.max(1))
        .flat_map(|line| line[..info.width as usize * channels].chunks_exact(channels))
        .map(is_marked)
        .collect();
    Ok(PinImage { pins: pins(info.width as usize, &marked), size: (f64::from(info.width), f64::from(info.height)) })
}

fn of_svg(text: &str, marker: [u8; 3]) -> Result<PinImage> {
    let regex = |pattern: &str| Regex::new(pattern).map_err(|cause| Error::internal(cause.to_string()));
    let tags = regex(r"<(svg|circle|ellipse|rect)\b([^>]*)>")?;
    let attributes = regex(r#"([A-Za-z-]+)\s*=\s*["']([^"']*)["']"#)?;
    let colour = format!("#{:02x}{:02x}{:02x}", marker[0], marker[1], marker[2]);
    let mut frame = None;
    let mut found = Vec::new();
    for tag in tags.captures_iter(text) {
        let all: Vec<(String, String)> = attributes
            .captures_iter(&tag[2])
            .map(|pair| (pair[1].to_lowercase(), pair[2].trim().to_lowercase()))
            .collect();
        let value = |name: &str| all.iter().find(|pair| pair.0 == name).map(|pair| pair.1.as_str());
        let number = |name: &str| {
            value(name)
                .and_then(|value| value.trim_end_matches("px").parse::<f64>().ok())
                .filter(|number| number.is_finite())
        };
        if &tag[1] == "svg" {
            let of_box: Vec<f64> =
                value("viewbox").unwrap_or_default().split([' ', ',']).filter_map(|part| part.parse().ok()).collect();
            frame = frame.or(match of_box.as_slice() {
                &[x, y, width, height] if width > 0.0 && height > 0.0 => Some((x, y, width, height)),
                _ => number("width").zip(number("height")).map(|(width, height)| (0.0, 0.0, width, height)),
            });
            continue;
        }
        let of_style = value("style")
            .and_then(|style| style.split(';').find_map(|part| part.trim().strip_prefix("fill:").map(str::trim)));
        if value("fill").or(of_style).and_then(long_colour).as_deref() != Some(colour.as_str()) {
            continue;
        }
        let centre = match &tag[1] {
            "rect" => number("width").zip(number("height")).map(|(width, height)| {
                (number("x").unwrap_or(0.0) + width / 2.0, number("y").unwrap_or(0.0) + height / 2.0)
            }),
            _ => Some((number("cx").unwrap_or(0.0), number("cy").unwrap_or(0.0))),
        };
        found.extend(centre);
    }
    let Some((x, y, width, height)) = frame.filter(|frame| frame.2 > 0.0 && frame.3 > 0.0) else {
        return Err(Error::data("the SVG image says neither its viewBox nor its width and height"));
    };
    let pins = found.into_iter().map(|(across, down)| Pin { x: across - x, y: down - y }).collect();
    Ok(PinImage { pins, size: (width, height) })
}

/// `#f00` and `red` as `#ff0000`.
fn long_colour(colour: &str) -> Option<String> {
    let named =
        [("red", "#ff0000"), ("blue", "#0000ff"), ("green", "#008000"), ("black", "#000000"), ("white", "#ffffff")];
    if let Some((_, code)) = named.iter().find(|named| named.0 == colour) {
        return Some((*code).to_owned());
    }
    let digits = colour.strip_prefix('#')?;
    match digits.len() {
        3 => Some(std::iter::once('#').chain(digits.chars().flat_map(|digit| [digit, digit])).collect()),
        _ => Some(colour.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An image of so many pixels a line, red where marked, in a colour type.
    fn png_of(width: u32, marked: &[bool], color: ColorType, depth: BitDepth) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, marked.len() as u32 / width);
        encoder.set_color(color);
        encoder.set_depth(depth);
        let wide = usize::from(depth == BitDepth::Sixteen) + 1;
        let mut data = Vec::new();
        for &is_marked in marked {
            match color {
                ColorType::Indexed => data.push(u8::from(is_marked)),
                _ => [255, if is_marked { 0 } else { 255 }, if is_marked { 0 } else { 255 }]
                    .into_iter()
                    .for_each(|value| data.extend(std::iter::repeat_n(value, wide))),
            }
        }
        if color == ColorType::Indexed {
            encoder.set_palette(vec![255, 255, 255, 255, 0, 0]);
        }
        encoder.write_header().unwrap().write_image_data(&data).unwrap();
        bytes
    }

    #[test]
    fn pins_of_every_sort_of_png() {
        let marked: Vec<bool> =
            "......".chars().chain(".##..#.##...".chars()).chain("......".chars()).map(|pixel| pixel == '#').collect();
        let expected = PinImage { pins: vec![Pin { x: 2.0, y: 2.0 }, Pin { x: 5.5, y: 1.5 }], size: (6.0, 4.0) };
        for (color, depth) in [
            (ColorType::Rgb, BitDepth::Eight),
            (ColorType::Rgb, BitDepth::Sixteen),
            (ColorType::Indexed, BitDepth::Eight),
        ] {
            let bytes = png_of(6, &marked, color, depth);
            assert_eq!(PinImage::of(&bytes, [255, 0, 0]).unwrap(), expected);
            for end in (0..bytes.len()).step_by(3) {
                // A part of it may lack nothing but its end.
                let _ = PinImage::of(&bytes[..end], [255, 0, 0]);
            }
        }
    }

    #[test]
    fn pins_of_an_svg() {
        let svg = r##"<svg viewBox="0 0 60 40"><circle cx="20" cy="20" r="3" fill="#f00"/><rect x='50' y='10' width='10' height='10' style="fill: red"/>
            <circle cx="1" cy="1" r="3" fill="#00ff00"/></svg>"##;
        let found = PinImage::of(svg.as_bytes(), [255, 0, 0]).unwrap();
        assert_eq!(
            found,
            PinImage { pins: vec![Pin { x: 20.0, y: 20.0 }, Pin { x: 55.0, y: 15.0 }], size: (60.0, 40.0) }
        );
        assert!(PinImage::of(b"<svg>", [0; 3]).is_err());
        assert!(PinImage::of(b"nothing", [0; 3]).is_err());
    }
}
