//! What a command may be told about its data: how to read them, and what they mean. The same for every kind and command.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use throng_core::concepts::{Mapper, Meaning};
use throng_core::data::Strings;
use throng_core::data::table::{ColumnRole, ColumnType, Missing, ValueDistance};
use throng_core::taxonomy::Taxonomy;
use throng_core::taxonomy::fit::Unknown;
use throng_core::{Error, Result};

use super::table::Schema;
use crate::drop_list::DropList;
use crate::io::{BadLines, ColumnChoice, Delimiter, Encoding, Format, ReadOptions};
use crate::limits;
use crate::policy::{Matcher, Policy};
use crate::taxonomy;

/// What a certificate says of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TableRecord {
    /// Its columns, in the order of the file.
    pub columns: Vec<ColumnRecord>,
    /// What a missing value is.
    #[serde(default)]
    pub missing: Missing,
    /// Texts that stand for a missing value, beside the empty one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_values: Vec<String>,
}

/// What a certificate says of a column of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ColumnRecord {
    /// Its name, or its number where there is no header.
    pub name: String,
    /// What it holds of a person.
    pub role: ColumnRole,
    /// What the values of the original are.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// What it counted in distances and losses, if that is not 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// How far its values are apart, where that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<ValueDistance>,
    /// Its values in their order, where that was said; only those that are published.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// Whether a masked network publishes labels of a hierarchy in it, which no number can be told from.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub labels: bool,
}

impl ColumnRecord {
    /// Whether a masked network publishes numbers and intervals in it, or days, and nothing else.
    pub(crate) fn is_of_numbers(&self) -> bool {
        self.kind.is_numeric() && !self.labels
    }
}

/// How to read data, and how to understand them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ask {
    /// The kind of data, if the file is not what it looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The kind that the data are taken as: the words of a search log as baskets.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    pub as_kind: Option<String>,
    /// The format, if the file is not what it looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// What stands between cells, if it is not what it looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<Delimiter>,
    /// What the text is written in, if it is not what it looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// Whether the first line is a row, so that columns have numbers for names.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub no_header: bool,
    /// Which column holds what; guessed where nothing is said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnChoice>,
    /// How times are written, if it is not to be found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_format: Option<String>,
    /// The zone that times are local in, by its IANA name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// The form of the lines of an access log, by its name or as a directive of Apache or nginx, if it is not to be found out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_format: Option<String>,
    /// How many bits of an IPv6 address tell visitors of an access log apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ipv6_prefix: Option<u8>,
    /// How long a pause inside a session of an access log may be, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
    /// Paths: the table that says where cells are, CSV with the header `cell,lat,lon`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<PathBuf>,
    /// The lowest and the highest rating, as `1..5`; else what the file has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<String>,
    /// The file about the items of ratings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<PathBuf>,
    /// How many rows are kept as they were read, to be shown.
    #[serde(skip)]
    pub rows: Option<usize>,
    /// What to do with malformed lines.
    pub bad_lines: BadLines,
    /// Whether every row is meant to be another person.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub one_row_per_person: bool,
    /// The taxonomies, `wordnet` or files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub taxonomies: Vec<String>,
    /// What becomes of items that the taxonomy does not know; each kind has a rule of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<Unknown>,
    /// The file that names sensitive items.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<PathBuf>,
    /// The file that says what is known of the nodes of a graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<PathBuf>,
    /// Whether an end of an edge that this file does not have is a node all the same.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub add_unknown_nodes: bool,
    /// How many random graphs with its counts are written beside a masked network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expand: Option<usize>,
    /// On how many of them it is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expansions: Option<usize>,
    /// Hierarchies of columns of a table: `COLUMN=FILE`, or `COLUMN=flat`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hierarchies: Vec<String>,
    /// The folder with hierarchies of columns, by their names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hierarchies_in: Option<PathBuf>,
    /// The schema of a table: what its columns hold, and how they are generalised. Flags overrule it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<PathBuf>,
    /// What the project says that a table lies in.
    #[serde(skip)]
    pub project: Option<Arc<Schema>>,
    /// What missing values of a table are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// Whether means and noisy numbers of a table are rounded to what their column has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub round: bool,
    /// Whether rows of a table that would be left out are published with `*` in every quasi cell, where that keeps all promises.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub keep_suppressed: bool,
    /// Whether a release of a table says which rows are one person's.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub link_rows: bool,
    /// The table that the rows of a table are a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub population: Option<PathBuf>,
    /// The parameters of the noise that a table's release was made with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise_file: Option<PathBuf>,
    /// The column that classifiers and fits are to predict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// What a certificate says of the columns of a table; `columns` overrules it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<TableRecord>,
    /// The file that names what may never be published. It is removed from an original before anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drop: Option<PathBuf>,
    /// The file that names persons of ratings whom somebody made up. They are removed from an original before anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drop_shills: Option<PathBuf>,
    /// Whether a certificate says what kind of data it is, so that nobody need doubt it.
    #[serde(skip)]
    pub is_certified: bool,
    /// The policy that a release must keep to. What it leaves out is removed from an original before anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<PathBuf>,
}

/// The taxonomy that is always there.
pub(crate) const WORDNET: &str = "wordnet";

impl Ask {
    /// How to read the file.
    pub fn reading(&self) -> ReadOptions {
        ReadOptions {
            format: self.format,
            delimiter: self.delimiter,
            encoding: self.encoding,
            no_header: self.no_header,
            columns: self.columns.clone(),
            bad_lines: self.bad_lines,
            time_format: self.time_format.clone(),
            time_zone: self.time_zone.clone(),
            log_format: self.log_format.clone(),
            ipv6_prefix: self.ipv6_prefix,
            timeout: self.timeout,
            cells: self.cells.clone(),
            rows: self.rows,
            at_once: None,
            fills_short_lines: false,
            is_sample: false,
        }
    }

    /// The same, with the column that says among how many persons somebody asks to be, if there is one.
    pub(crate) fn with_wishes(&self, column: Option<&str>) -> Self {
        let mut ask = self.clone();
        ask.columns.extend(column.map(ColumnChoice::of_wishes));
        ask
    }

    /// Whether nothing was said by which a release would be read otherwise than its certificate says.
    pub(crate) fn reads_as_certified(&self) -> bool {
        let Self { kind, as_kind, columns, taxonomies, sensitive, .. } = self;
        kind.is_none() && as_kind.is_none() && columns.is_empty() && taxonomies.is_empty() && sensitive.is_none()
    }

    /// The taxonomies that were given, if some were.
    pub(crate) fn given_taxonomy(&self) -> Result<Option<LoadedTaxonomy>> {
        (!self.taxonomies.is_empty()).then(|| LoadedTaxonomy::load(&self.taxonomies)).transpose()
    }

    /// The taxonomies that were given, else WordNet.
    pub(crate) fn any_taxonomy(&self) -> Result<LoadedTaxonomy> {
        let wordnet = [WORDNET.to_owned()];
        LoadedTaxonomy::load(if self.taxonomies.is_empty() { &wordnet } else { &self.taxonomies })
    }

    /// How to find out what strings mean. WordNet knows, unless another taxonomy is given; unknown phrases are left out.
    pub(crate) fn knowledge(&self) -> Result<Knowledge> {
        let taxonomy = self.any_taxonomy()?;
        let mapper = Mapper::new(Arc::clone(&taxonomy.taxonomy)).with_lexicon(taxonomy::lexicon()?);
        Ok(Knowledge { mapper, taxonomy, rule: self.unknown.unwrap_or(Unknown::Drop) })
    }

    /// The names of sensitive items, one a line.
    pub(crate) fn sensitive_items(&self) -> Result<Option<Vec<String>>> {
        let Some(path) = &self.sensitive else { return Ok(None) };
        let named = |error: Error| error.in_file(path.display().to_string());
        let bytes = limits::read_file(path, "", limits::MOST_LIST_BYTES)?;
        let text = String::from_utf8(bytes).map_err(|_| named(Error::data("the list of items is not UTF-8")))?;
        let text = text.trim_start_matches('\u{feff}');
        let items: Vec<String> =
            text.lines().map(|line| line.trim().to_owned()).filter(|item| !item.is_empty()).collect();
        if items.is_empty() {
            return Err(named(Error::data("the file names no sensitive item").with_hint("one item a line")));
        }
        Ok(Some(items))
    }

    /// What may never be published, if a list of it was given.
    pub(crate) fn drop_list(&self) -> Result<Option<DropList>> {
        self.drop.as_deref().map(DropList::read).transpose()
    }

    /// The policy, if one was given.
    pub(crate) fn policy(&self) -> Result<Option<Policy>> {
        self.policy.as_deref().map(Policy::read).transpose()
    }

    /// What the policy looks for in data of a kind, if one was given.
    pub(crate) fn matcher(&self, kind: &str) -> Result<Option<Matcher>> {
        let named = |error: Error| match (&self.policy, error.place()) {
            (Some(path), Some(_)) => error.in_file(path.display().to_string()),
            _ => error,
        };
        self.policy()?.map(|policy| Matcher::of(&policy, Some(kind), self).map_err(named)).transpose()
    }

    /// The same with the taxonomy that a release was made with, if none is given and it is WordNet, which is always there; a
    /// file must be given. Its rule for what it does not know, if none is given.
    pub(crate) fn as_certified(&self, certified: Option<&TaxonomyRecord>) -> Self {
        let mut ask = self.clone();
        if let (true, Some(record)) = (ask.taxonomies.is_empty(), certified) {
            ask.unknown = ask.unknown.or(Some(record.unknown));
            if record.name == WORDNET {
                ask.taxonomies = vec![record.name.clone()];
            }
        }
        ask
    }

    /// The other files that a result depends on, for whoever must know whether they changed.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let lists = [
            &self.sensitive,
            &self.drop,
            &self.drop_shills,
            &self.policy,
            &self.population,
            &self.schema,
            &self.noise_file,
            &self.nodes,
            &self.cells,
            &self.items,
        ];
        let lists = lists.into_iter().filter_map(Option::as_deref);
        let hierarchies =
            self.hierarchies.iter().filter_map(|said| said.split_once('=')).map(|(_, file)| Path::new(file));
        let own = self.taxonomies.iter().map(Path::new).chain(hierarchies).chain(lists).map(Path::to_owned);
        // A schema that cannot be read is refused where it is needed.
        let schema = self.schema.as_deref().and_then(|path| Schema::read(path).ok());
        let named: Vec<PathBuf> = schema.iter().flat_map(Schema::files).collect();
        own.chain(named).filter(|path| path.is_file())
    }
}

/// How to find out what strings mean.
#[derive(Debug)]
pub struct Knowledge {
    pub(crate) mapper: Mapper,
    pub(crate) taxonomy: LoadedTaxonomy,
    rule: Unknown,
}

impl Knowledge {
    /// What the strings of some tables mean, all over one taxonomy.
    pub(crate) fn of(&self, tables: &[&Strings]) -> Result<Vec<Arc<Meaning>>> {
        Ok(Meaning::of(&self.mapper, tables, self.rule)?.into_iter().map(Arc::new).collect())
    }

    /// What a certificate says of it.
    pub(crate) fn record(&self) -> TaxonomyRecord {
        TaxonomyRecord { by_phrase: true, ..self.taxonomy.record(self.rule) }
    }
}

/// A taxonomy and what a certificate says of it.
#[derive(Debug, Clone)]
pub(crate) struct LoadedTaxonomy {
    pub(crate) taxonomy: Arc<Taxonomy>,
    pub(crate) name: String,
    pub(crate) sha256: String,
}

/// The taxonomy of a release, as its certificate names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaxonomyRecord {
    /// `wordnet`, or the names of the files.
    pub name: String,
    /// The SHA-256 of its nodes: every label with its parent's number, in pre-order. Leaves that were added for unknown
    /// items are not in it.
    pub sha256: String,
    /// What became of items that it does not know.
    pub unknown: Unknown,
    /// Whether phrases of the data were looked for in it, and the release has words of the data; else the release has its
    /// items.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_phrase: bool,
}

impl LoadedTaxonomy {
    pub(crate) fn load(specs: &[String]) -> Result<Self> {
        let taxonomy = taxonomy::load_all(specs)?;
        // The folder that a file lies in is nobody's business.
        let name = |spec: &String| {
            Path::new(spec).file_name().map_or(spec.clone(), |name| name.to_string_lossy().into_owned())
        };
        let mut hasher = Sha256::new();
        for node in 0..taxonomy.len() as u32 {
            let label = taxonomy.label(node);
            hasher.update(taxonomy.parent(node).to_le_bytes());
            hasher.update((label.len() as u64).to_le_bytes());
            hasher.update(label.as_bytes());
        }
        let sha256 = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { taxonomy, name: specs.iter().map(name).collect::<Vec<_>>().join(", "), sha256 })
    }

    pub(crate) fn record(&self, unknown: Unknown) -> TaxonomyRecord {
        TaxonomyRecord { name: self.name.clone(), sha256: self.sha256.clone(), unknown, by_phrase: false }
    }
}

/// What to say if the taxonomy is not the one that a release was made with.
pub(crate) fn taxonomy_note(given: Option<&LoadedTaxonomy>, certified: Option<&TaxonomyRecord>) -> Option<String> {
    let certified = certified?;
    let Some(given) = given else {
        return Some(format!(
            "the release was made with the taxonomy {}; give it with `--taxonomy` for whatever needs one",
            certified.name
        ));
    };
    (given.sha256 != certified.sha256).then(|| {
        format!("the taxonomy {} is not the one that the release was made with, {}", given.name, certified.name)
    })
}
