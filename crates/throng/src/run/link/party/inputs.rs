//! The inputs of a party's records.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Map, Value, json};
use throng_core::party::{SEPARATOR, input, oprf};
use throng_core::progress::Progress;
use throng_core::{Error, Result};

use super::super::csv_line;
use super::super::tables::RecordFile;
use super::PartyRequest;

/// Records as inputs.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// The different inputs, in the order in which they occur first.
    pub(super) different: Vec<String>,
    /// The input of each record, if it has all values.
    pub(super) of_record: Vec<Option<u32>>,
    ids: Vec<String>,
    /// Records with an empty value.
    pub(super) left_out: u64,
}

impl Inputs {
    /// Reads a party's file.
    pub(super) fn read(path: &Path, request: &PartyRequest, progress: &dyn Progress) -> Result<Self> {
        let file = RecordFile::read(path, request.id.as_deref(), &request.options, progress)?;
        let columns = request.on.iter().map(|name| file.column(name)).collect::<Result<Vec<usize>>>()?;
        let mut inputs = Self::default();
        let mut numbers: HashMap<String, u32> = HashMap::new();
        for row in 0..file.rows() {
            let value = |&column: &usize| {
                let (name, values, cells, _) = &file.table.columns[column];
                let value = values.get(cells[row]);
                if value.contains(SEPARATOR) {
                    let at = Error::data("a value holds U+001F, which stands between values").in_column(name);
                    return Err(at.at_line(file.table.lines[row]).in_file(file.name.clone()));
                }
                Ok(value)
            };
            let values = columns.iter().map(value).collect::<Result<Vec<&str>>>()?;
            let Some(text) = input(values) else {
                inputs.left_out += 1;
                inputs.of_record.push(None);
                continue;
            };
            if text.len() > oprf::MOST_INPUT {
                return Err(Error::data(format!("the values of a record have {} bytes together", text.len()))
                    .at_line(file.table.lines[row])
                    .in_file(file.name.clone())
                    .with_hint(format!("at most {} are taken: name fewer columns with `--on`", oprf::MOST_INPUT)));
            }
            let number = *numbers.entry(text).or_insert_with_key(|text| {
                inputs.different.push(text.clone());
                inputs.different.len() as u32 - 1
            });
            inputs.of_record.push(Some(number));
        }
        inputs.ids = (0..file.rows()).map(|row| file.id(row)).collect();
        Ok(inputs)
    }

    /// The records whose input is chosen, as CSV with `id`, in the order of the file; and how many they are.
    pub(super) fn chosen(&self, is_chosen: impl Fn(u32) -> bool) -> (Vec<u8>, u64) {
        let (mut text, mut count) = (b"id\n".to_vec(), 0);
        for (id, input) in self.ids.iter().zip(&self.of_record) {
            if input.is_some_and(&is_chosen) {
                csv_line(&[id], &mut text);
                count += 1;
            }
        }
        (text, count)
    }

    /// The records that have all values, and their texts.
    pub(super) fn records(&self) -> impl Iterator<Item = (&str, &str)> {
        let texts = self.ids.iter().zip(&self.of_record);
        texts.filter_map(|(id, input)| Some((id.as_str(), self.different[(*input)? as usize].as_str())))
    }

    /// What stands for the file in a state.
    pub(super) fn as_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (id, input) in self.ids.iter().zip(&self.of_record) {
            bytes.extend_from_slice(&(id.len() as u64).to_le_bytes());
            bytes.extend_from_slice(id.as_bytes());
            let text = input.map_or("", |input| self.different[input as usize].as_str());
            bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
            bytes.extend_from_slice(text.as_bytes());
        }
        bytes
    }

    /// What is said of them.
    pub(super) fn said(&self) -> Map<String, Value> {
        let mut said = Map::new();
        if !self.of_record.is_empty() {
            said.insert("records".to_owned(), json!(self.of_record.len()));
            said.insert("inputs".to_owned(), json!(self.different.len()));
            said.insert("left_out".to_owned(), json!(self.left_out));
        }
        said
    }
}
