//! Files of taxonomies: which form one has, reading it, and writing a new one.

use std::io::{BufReader, Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;

use throng_core::taxonomy::wordnet::WordNet;
use throng_core::taxonomy::{Taxonomy, arx, child_parent, json, odp, own, paths};
use throng_core::{Error, Result};

use crate::io::{Location, Source};
use crate::limits::{MOST_TAXONOMY_BYTES, refuse_longer};
use crate::pending::{self, Pending};

/// What a file of a taxonomy looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// CSV with the header `child,parent`.
    ChildParent,
    /// One path a line: `Top/Sports/Soccer`.
    Paths,
    /// A dump of the Open Directory Project, `structure.rdf.u8`.
    Odp,
    /// A hierarchy of ARX: `value;level 1;level 2;…`.
    Arx,
    /// A tree of JSON objects.
    Json,
    /// A folder with WordNet's dictionary files.
    WordNet,
    /// throng's own, which ends in `.taxonomy`.
    Own,
}

impl Form {
    /// All forms.
    pub const ALL: [Self; 7] =
        [Self::ChildParent, Self::Paths, Self::Odp, Self::Arx, Self::Json, Self::WordNet, Self::Own];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChildParent => "child-parent",
            Self::Paths => "paths",
            Self::Odp => "odp",
            Self::Arx => "arx",
            Self::Json => "json",
            Self::WordNet => "wordnet",
            Self::Own => "own",
        }
    }

    /// The form with a name.
    pub fn parse(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|form| form.name() == name);
        found.ok_or_else(|| Error::unknown("form of a taxonomy", name, Self::ALL.map(Self::name)))
    }

    /// The form that the first bytes of a file show.
    pub(crate) fn recognise(head: &[u8]) -> Result<Self> {
        if own::is_own(head) {
            return Ok(Self::Own);
        }
        let text = String::from_utf8_lossy(head);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        let first = text.lines().next().unwrap_or_default();
        let list_of_values = || text[1..].trim_start().starts_with(['{', '"', '[']) && !first.contains(';');
        if text.starts_with('{') || (text.starts_with('[') && list_of_values()) {
            Ok(Self::Json)
        } else if text.starts_with('<') {
            Ok(Self::Odp)
        } else if child_parent::is_header(first) {
            Ok(Self::ChildParent)
        } else if arx::is_line(first) {
            Ok(Self::Arx)
        } else if text.lines().any(paths::is_path) {
            Ok(Self::Paths)
        } else {
            let hint = if first.contains(',') {
                "a file of pairs begins with the line `child,parent`"
            } else {
                "throng reads `child,parent` CSV, paths such as `Top/Sports/Soccer`, ARX hierarchies, JSON trees, ODP \
                 dumps, WordNet's dictionary folder and its own files; `throng taxonomy import --format` overrules"
            };
            Err(Error::data("this does not look like a taxonomy").with_hint(hint))
        }
    }
}

/// Reads a file, `-`, or a folder with WordNet's dictionary; gives the form that it has, which is recognised unless it is
/// given.
pub fn read(path: &Path, form: Option<Form>) -> Result<(Taxonomy, Form)> {
    if path.is_dir() {
        return match form {
            None | Some(Form::WordNet) => Ok((read_dictionary(path)?, Form::WordNet)),
            Some(form) => Err(Error::parameter("format", format!("is `{}`, but this is a folder", form.name()))),
        };
    }
    if form == Some(Form::WordNet) {
        return Err(Error::data("WordNet's dictionary is a folder with `data.noun`, `index.noun` and `noun.exc`")
            .in_file(path.display().to_string()));
    }
    let location = if path == Path::new("-") { Location::Stdin } else { Location::File(path.to_owned()) };
    let source = Source::open(&location, None).map_err(|error| {
        if error.is_data() {
            error.with_hint("give a file of a taxonomy; `throng taxonomy import --help` lists the forms")
        } else {
            error
        }
    })?;
    let read = || {
        let form = form.map_or_else(|| Form::recognise(&source.head), Ok)?;
        if form == Form::Odp {
            return Ok((odp::read(BufReader::with_capacity(1 << 18, source.into_reader()))?, form));
        }
        let text = read_text(source)?;
        let text = text.as_str();
        let taxonomy = match form {
            Form::ChildParent => child_parent::read(text),
            Form::Paths => paths::read(text),
            Form::Arx => arx::read(text),
            Form::Json => json::read(text),
            Form::Own => own::read(text),
            Form::Odp | Form::WordNet => Err(Error::internal("this form is read elsewhere")),
        };
        Ok((taxonomy?, form))
    };
    read().map_err(|error: Error| error.in_file(location.to_string()))
}

/// The text of a file that says what is above what.
pub(crate) fn text_of(path: &Path) -> Result<String> {
    let location = Location::File(path.to_owned());
    let source = Source::open(&location, None)?;
    read_text(source).map_err(|error: Error| error.in_file(location.to_string()))
}

fn read_text(source: Source) -> Result<String> {
    let mut bytes = Vec::new();
    let failed = |cause| Error::io("read the taxonomy", cause);
    source.into_reader().take(MOST_TAXONOMY_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    refuse_longer(bytes.len() as u64, MOST_TAXONOMY_BYTES)?;
    String::from_utf8(bytes).map_err(|cause| {
        let valid = &cause.as_bytes()[..cause.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
        Error::data("the taxonomy is not UTF-8").at_line(line).with_hint("convert the file to UTF-8")
    })
}

/// Reads WordNet's dictionary files in a folder.
fn read_dictionary(folder: &Path) -> Result<Taxonomy> {
    let file = |name: &str| {
        let path = folder.join(name);
        std::fs::read_to_string(&path).map_err(|cause| {
            Error::io(format!("read {}", path.display()), cause).with_hint(
                "a folder is taken for WordNet's dictionary, with `data.noun`, `index.noun` and `noun.exc`; on Debian \
                 the package `wordnet-base` has it in /usr/share/wordnet",
            )
        })
    };
    let (data, index, exceptions) = (file("data.noun")?, file("index.noun")?, file("noun.exc")?);
    let wordnet = WordNet::from_dictionary(&data, &index, &exceptions);
    Ok(Arc::new(wordnet.map_err(|error| error.in_file(folder.display().to_string()))?).tree())
}

/// Writes a taxonomy to a new file: child-parent pairs if its name ends in `.csv`, else throng's own form.
pub fn write(taxonomy: &Taxonomy, path: &Path) -> Result<()> {
    if path.exists() {
        return Err(
            Error::refused(format!("{} exists already", path.display())).with_hint("choose another name, or remove it")
        );
    }
    let failed = |cause| Error::io(format!("write {}", path.display()), cause);
    let bytes = if is_csv(path) {
        child_parent::write(taxonomy).into_bytes()
    } else {
        let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL).map_err(failed)?;
        encoder.include_checksum(true).map_err(failed)?;
        encoder.write_all(own::write(taxonomy).as_bytes()).map_err(failed)?;
        encoder.finish().map_err(failed)?
    };
    let (mut file, unfinished) = Pending::file(path, false).map_err(failed)?;
    file.write_all(&bytes).map_err(failed)?;
    pending::publish(vec![(unfinished, path.to_owned())])
}

/// How hard to compress: a taxonomy is written once and read often.
const LEVEL: i32 = 19;

/// Whether a file of this name is written as child-parent pairs.
pub(super) fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_recognised_from_content() {
        for (text, form) in [
            ("throng-taxonomy 1 tree\n", Form::Own),
            ("\u{feff}child,parent\na,b\n", Form::ChildParent),
            ("parent , \"child\"\n", Form::ChildParent),
            ("\n{\"name\": 1}", Form::Json),
            ("[\n {\"a\": 1}]", Form::Json),
            ("[0, 5[;[0, 10[;*\n", Form::Arx),
            ("a;b;*\n", Form::Arx),
            ("a,b,*\n", Form::Arx),
            ("1/2/2003\t2003\t*\n", Form::Arx),
            ("Top\nTop/Arts\n", Form::Paths),
            ("# x\nAll > Food, Drink\n", Form::Paths),
            ("<?xml version='1.0'?>\n<RDF>", Form::Odp),
        ] {
            assert_eq!(Form::recognise(text.as_bytes()).unwrap(), form, "{text}");
        }
        let error = |text: &str| Form::recognise(text.as_bytes()).unwrap_err().describe(false);
        assert!(error("a,b\nc,b\n").contains("begins with the line `child,parent`"));
        assert!(error("hello\n").contains("ARX hierarchies"));
        assert!(Form::ALL.iter().all(|form| Form::parse(form.name()).unwrap() == *form));
    }
}
