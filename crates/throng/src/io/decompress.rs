//! Unpacking gzip and zstd, part by part, with an eye for what is in the file and not in the text.
//!
//! A gzip file is a row of members, a zstd file a row of frames. A member's header can hold a name, a time, a comment and
//! whatever else; a frame can be one to be skipped. None of that reaches the reader of rows, so it is noted. Bytes after
//! the last part are an error.
//!
//! A few bytes can become gigabytes: [`Bounded`] ends a file that unpacks to far more than data of people do.

use std::fmt;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use zstd::stream::read::Decoder;

use super::uncompared::Uncompared;
use crate::limits::{FREE_UNPACKED_BYTES, MOST_OF_ONE_BYTE};

/// Bytes that are read from the file at once.
const BUFFER: usize = 1 << 18;
/// How a frame of zstd begins.
const FRAME: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Whether a zstd file begins so: with a frame, or with one to be skipped.
pub(super) fn is_zstd(magic: &[u8]) -> bool {
    magic == FRAME || matches!(magic, [0x50..=0x5f, 0x2a, 0x4d, 0x18])
}

/// Bytes that are counted while they are read.
pub(super) struct Counted<R> {
    pub(super) inner: R,
    pub(super) taken: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// What a compressed file unpacks to, as long as that is within the limits.
pub(super) struct Bounded<R> {
    inner: R,
    unpacked: u64,
    /// The compressed bytes so far.
    packed: Arc<AtomicU64>,
}

impl<R: Read> Bounded<R> {
    /// `packed` counts what is read from the file.
    pub(super) fn new(inner: R, packed: Arc<AtomicU64>) -> Self {
        Self { inner, unpacked: 0, packed }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.unpacked += count as u64;
        let (unpacked, packed) = (self.unpacked, self.packed.load(Ordering::Relaxed));
        if unpacked > FREE_UNPACKED_BYTES && unpacked / MOST_OF_ONE_BYTE > packed {
            return Err(io::Error::new(io::ErrorKind::InvalidData, TooMuch { unpacked, packed }));
        }
        Ok(count)
    }
}

/// A file unpacks to more than is read.
#[derive(Debug)]
pub(super) struct TooMuch {
    unpacked: u64,
    packed: u64,
}

impl fmt::Display for TooMuch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { unpacked, packed } = self;
        write!(
            out,
            "{packed} compressed bytes unpack to more than {unpacked}; beyond {} MiB, at most {MOST_OF_ONE_BYTE} times \
             as many are read",
            FREE_UNPACKED_BYTES >> 20
        )
    }
}

impl std::error::Error for TooMuch {}

/// A gzip file.
pub(super) struct Gzip<R: Read> {
    member: Member<BufReader<R>>,
    uncompared: Uncompared,
}

enum Member<B> {
    Next(B),
    Within(Box<flate2::bufread::GzDecoder<B>>),
    Failed,
}

impl<R: Read> Gzip<R> {
    pub(super) fn new(raw: R, uncompared: &Uncompared) -> Self {
        let raw = BufReader::with_capacity(BUFFER, raw);
        Self { member: Member::Next(raw), uncompared: uncompared.clone() }
    }

    fn look_at(&self, header: &flate2::GzHeader) {
        let fields = [
            (header.filename().is_some(), "a file name in a gzip header"),
            (header.comment().is_some(), "a comment in a gzip header"),
            (header.extra().is_some(), "an extra field in a gzip header"),
            (header.mtime() != 0, "a time in a gzip header"),
        ];
        fields.iter().filter(|(is_there, _)| *is_there).for_each(|(_, what)| self.uncompared.note(what));
    }
}

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(&mut self.member, Member::Failed) {
                Member::Failed => return Err(io::ErrorKind::InvalidData.into()),
                Member::Next(mut raw) => {
                    if raw.fill_buf()?.is_empty() {
                        self.member = Member::Next(raw);
                        return Ok(0);
                    }
                    let member = flate2::bufread::GzDecoder::new(raw);
                    self.member = Member::Within(Box::new(member));
                }
                Member::Within(mut member) => match member.read(buffer)? {
                    0 if !buffer.is_empty() => {
                        if let Some(header) = member.header() {
                            self.look_at(header);
                        }
                        self.member = Member::Next(member.into_inner());
                    }
                    count => {
                        self.member = Member::Within(member);
                        return Ok(count);
                    }
                },
            }
        }
    }
}

/// A zstd file.
pub(super) struct Zstd<R: Read> {
    frame: Frame<BufReader<R>>,
    uncompared: Uncompared,
}

enum Frame<B: BufRead> {
    Next(B),
    /// The first bytes of a frame are looked at before it is unpacked.
    Within(Box<Decoder<'static, Chain<Cursor<Vec<u8>>, B>>>),
    Failed,
}

impl<R: Read> Zstd<R> {
    pub(super) fn new(raw: R, uncompared: &Uncompared) -> Self {
        let raw = BufReader::with_capacity(BUFFER, raw);
        Self { frame: Frame::Next(raw), uncompared: uncompared.clone() }
    }
}

impl<R: Read> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match std::mem::replace(&mut self.frame, Frame::Failed) {
                Frame::Failed => return Err(io::ErrorKind::InvalidData.into()),
                Frame::Next(mut raw) => {
                    let mut magic = Vec::new();
                    raw.by_ref().take(4).read_to_end(&mut magic)?;
                    if magic.is_empty() {
                        self.frame = Frame::Next(raw);
                        return Ok(0);
                    }
                    if magic != FRAME && is_zstd(&magic) {
                        let mut length = [0; 4];
                        raw.read_exact(&mut length)?;
                        let length = u64::from(u32::from_le_bytes(length));
                        if io::copy(&mut raw.by_ref().take(length), &mut io::sink())? < length {
                            return Err(io::ErrorKind::UnexpectedEof.into());
                        }
                        self.uncompared.note("a part of the zstd file that is skipped when it is unpacked");
                        self.frame = Frame::Next(raw);
                        continue;
                    }
                    let frame = Decoder::with_buffer(Cursor::new(magic).chain(raw))?;
                    self.frame = Frame::Within(Box::new(frame.single_frame()));
                }
                Frame::Within(mut frame) => match frame.read(buffer)? {
                    0 if !buffer.is_empty() => self.frame = Frame::Next(frame.finish().into_inner().1),
                    count => {
                        self.frame = Frame::Within(frame);
                        return Ok(count);
                    }
                },
            }
        }
    }
}
