//! Arrow: a stream of record batches, in a file or handed over in memory.
//!
//! A stream is a schema, batches and a mark that it ends (the IPC streaming format); a file of the other sort (`ARROW1`, also called
//! Feather) holds a stream after its first bytes, and something more after it. What is in memory is a [`Frame`] and is read as it
//! lies there.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type, TimestampMillisecondType, UInt32Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray, UInt32Array,
};
use arrow_buffer::Buffer;
use arrow_ipc::reader::StreamDecoder;
use arrow_schema::{ArrowError, DataType, Schema, SchemaRef, TimeUnit};
use bytes::Bytes;
use throng_core::{Error, Result};

use super::columns::{self, BatchWriter};
use super::guarded::{guarded, unreadable};
use super::parquet_file::has_metadata;
use super::source::{Source, hash_bytes, hash_file, open_file};
use super::uncompared::Uncompared;
use super::write::HashingWriter;
use super::{Compression, FormatKind, Location};

/// How a stream begins: the mark before every message.
pub(super) const MARK: &[u8] = &[0xff; 4];
/// How a file that holds a stream begins.
const FILE_MARK: &[u8] = b"ARROW1";
/// So many bytes may come before the stream in such a file.
const FILE_BEGIN: u64 = 64;
/// What it is called in errors.
const FORM: &str = "Arrow stream";
/// No message may be larger than this.
const LARGEST_MESSAGE: usize = 1 << 30;

/// Whether bytes are the beginning of a stream, or of a file with one.
pub(super) fn begins(head: &[u8]) -> bool {
    head.starts_with(MARK) || head.starts_with(FILE_MARK)
}

/// Record batches in memory. They are about people: nothing of them is shown.
#[derive(Clone)]
pub struct Frame(Arc<(SchemaRef, Vec<RecordBatch>)>);

impl Frame {
    /// Batches of one schema.
    pub fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Self> {
        if batches.iter().any(|batch| batch.schema_ref().fields() != schema.fields()) {
            return Err(Error::data("the batches do not have the columns of their schema")
                .with_hint("all batches of one data set have the same columns, in the same order"));
        }
        Ok(Self(Arc::new((schema, batches))))
    }

    /// Its columns.
    pub fn schema(&self) -> &SchemaRef {
        &self.0.0
    }

    /// Its batches.
    pub fn batches(&self) -> &[RecordBatch] {
        &self.0.1
    }

    /// How many rows it has.
    pub fn rows(&self) -> u64 {
        self.batches().iter().map(|batch| batch.num_rows() as u64).sum()
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame({} rows)", self.rows())
    }
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Frame {}

/// An open stream.
pub(super) struct ArrowStream {
    schema: SchemaRef,
    input: Input,
}

/// The batches of a stream that is in memory.
pub(crate) fn batches_of(bytes: &Bytes) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    let mut stream = Stream::new(Box::new(Cursor::new(bytes.clone())))?;
    stream.message()?;
    let schema = stream.schema.clone().ok_or_else(|| damaged("it does not name its columns"))?;
    let mut batches = Vec::new();
    while let Some(batch) = stream.next()? {
        batches.push(batch);
    }
    Ok((schema, batches))
}

enum Input {
    Frame(Frame),
    Stream(Box<Stream>),
}

impl ArrowStream {
    /// Opens a stream and reads what it says of its columns.
    pub(super) fn open(source: &mut Source) -> Result<Self> {
        if let Location::Frame(frame) = &source.location {
            return Ok(Self { schema: Arc::clone(frame.schema()), input: Input::Frame(frame.clone()) });
        }
        if source.compression != Compression::None {
            return Err(Error::data("an Arrow stream inside gzip or zstd is not read").with_hint("unpack it first"));
        }
        if !begins(&source.head) {
            return Err(Error::data("this is no Arrow stream")
                .with_hint("leave out `--format` (in protect, `--input-format`): throng sees what it is"));
        }
        let bytes: Box<dyn Read> = match &source.location {
            Location::File(path) | Location::Folder(path) => Box::new(BufReader::new(open_file(path)?)),
            Location::Held(held) => Box::new(Cursor::new(held.bytes().clone())),
            Location::Stdin | Location::Frame(_) | Location::Several(_) => {
                source.read_all()?;
                Box::new(Cursor::new(source.head.clone()))
            }
        };
        let mut stream = Stream::new(bytes)?;
        // The columns come first.
        stream.message()?;
        let schema = stream.schema.clone().ok_or_else(|| damaged("it does not name its columns"))?;
        Ok(Self { schema, input: Input::Stream(Box::new(stream)) })
    }

    /// Its columns.
    pub(super) fn schema(&self) -> &Schema {
        &self.schema
    }

    /// How many rows it has, where that is known.
    pub(super) fn rows(&self) -> u64 {
        match &self.input {
            Input::Frame(frame) => frame.rows(),
            Input::Stream(_) => 0,
        }
    }

    /// Its batches, all columns of them. What it holds beside its values is noted.
    pub(super) fn batches(self, uncompared: &Uncompared) -> Batches {
        let has_words =
            !self.schema.metadata().is_empty() || self.schema.fields().iter().any(|field| has_metadata(field));
        // What is in memory is never published as it is, and frames of all libraries have such words.
        if has_words && matches!(self.input, Input::Stream(_)) {
            uncompared.note("a key with a value in the description of the Arrow stream");
        }
        Batches { input: self.input, next: 0, uncompared: uncompared.clone() }
    }
}

impl ArrowStream {
    /// What the stream of a release holds that throng does not write into one: any byte that is not as throng writes these values.
    pub(super) fn more_than_throng_writes(self, source: &Source) -> Result<Vec<&'static str>> {
        let hash = match &source.location {
            Location::File(path) => hash_file(path)?,
            Location::Held(held) => hash_bytes(held.bytes()),
            Location::Stdin => hash_bytes(&source.head),
            Location::Frame(_) | Location::Folder(_) | Location::Several(_) => return Ok(Vec::new()),
        };
        let more = vec!["bytes of the Arrow stream that are not as throng writes them"];
        let schema = Arc::clone(&self.schema);
        let mut written = HashingWriter::new(io::sink());
        let mut writer = BatchWriter::new(&mut written, FormatKind::Arrow, &schema)?;
        let mut batches = self.batches(&Uncompared::default());
        while let Some(batch) = batches.next()? {
            let arrays: Option<Vec<ArrayRef>> = batch.columns().iter().map(plain).collect();
            let Some(arrays) = arrays else { return Ok(more) };
            writer.write(&columns::batch(&schema, arrays)?)?;
        }
        writer.finish()?;
        Ok(if written.finish().1 == hash { Vec::new() } else { more })
    }
}

/// The values of an array in an array of their own, with nothing beside them; `None` of a type that throng does not write.
fn plain(array: &ArrayRef) -> Option<ArrayRef> {
    Some(match array.data_type() {
        DataType::Utf8 => Arc::new(array.as_string::<i32>().iter().collect::<StringArray>()),
        DataType::Int64 => Arc::new(array.as_primitive::<Int64Type>().iter().collect::<Int64Array>()),
        DataType::UInt32 => Arc::new(array.as_primitive::<UInt32Type>().iter().collect::<UInt32Array>()),
        DataType::Float64 => Arc::new(array.as_primitive::<Float64Type>().iter().collect::<Float64Array>()),
        DataType::Timestamp(TimeUnit::Millisecond, Some(zone)) if zone.as_ref() == "UTC" => {
            let times = array.as_primitive::<TimestampMillisecondType>().iter().collect::<TimestampMillisecondArray>();
            Arc::new(times.with_timezone("UTC"))
        }
        DataType::List(_) => {
            let mut lists = ListBuilder::new(StringBuilder::new());
            for list in array.as_list::<i32>().iter() {
                lists.append_value(list?.as_string_opt::<i32>()?.iter());
            }
            Arc::new(lists.finish())
        }
        _ => return None,
    })
}

/// The batches of a stream.
pub(super) struct Batches {
    input: Input,
    next: usize,
    uncompared: Uncompared,
}

impl Batches {
    /// The next batch, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>> {
        match &mut self.input {
            Input::Frame(frame) => {
                self.next += 1;
                Ok(frame.batches().get(self.next - 1).cloned())
            }
            Input::Stream(stream) => {
                let batch = stream.next()?;
                match &batch {
                    Some(batch) => note_hidden(batch, &self.uncompared),
                    None if stream.is_followed => {
                        self.uncompared.note("something after the end of the Arrow stream");
                    }
                    None => {}
                }
                Ok(batch)
            }
        }
    }
}

/// Notes what the arrays of a batch hold that no row shows.
fn note_hidden(batch: &RecordBatch, uncompared: &Uncompared) {
    let hidden: u64 = batch.columns().iter().map(hidden).sum();
    uncompared.note_many("a value of the Arrow stream that no row shows", hidden);
}

/// How many values of an array no row shows: entries of a dictionary, and texts under a row that has no value.
fn hidden(array: &ArrayRef) -> u64 {
    if let Some(dictionary) = array.as_any_dictionary_opt() {
        let values = dictionary.values();
        let mut used = vec![false; values.len()];
        if !values.is_empty() {
            let keys = dictionary.normalized_keys();
            (0..array.len()).filter(|&row| !array.is_null(row)).for_each(|row| {
                if let Some(used) = used.get_mut(keys[row]) {
                    *used = true;
                }
            });
        }
        return used.iter().filter(|used| !**used).count() as u64 + hidden(values);
    }
    let under_nothing = |row: &usize| array.is_null(*row) && !is_blank(array, *row);
    (0..array.len()).filter(under_nothing).count() as u64
}

/// Whether nothing stands under a row without a value.
fn is_blank(array: &ArrayRef, row: usize) -> bool {
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value_length(row) == 0,
        DataType::LargeUtf8 => array.as_string::<i64>().value_length(row) == 0,
        DataType::Binary => array.as_binary::<i32>().value_length(row) == 0,
        DataType::LargeBinary => array.as_binary::<i64>().value_length(row) == 0,
        kind if kind.primitive_width().is_some() => {
            let data = array.to_data();
            let width = kind.primitive_width().unwrap_or_default();
            let start = (data.offset() + row) * width;
            data.buffers().first().is_none_or(|bytes| bytes[start..start + width].iter().all(|byte| *byte == 0))
        }
        _ => true,
    }
}

/// A stream that is being decoded, message by message: so that none is fetched that is larger than it may be.
struct Stream {
    bytes: Box<dyn Read>,
    decoder: StreamDecoder,
    schema: Option<SchemaRef>,
    waiting: VecDeque<RecordBatch>,
    ended: bool,
    /// Whether something comes after its end.
    is_followed: bool,
}

impl Stream {
    fn new(mut bytes: Box<dyn Read>) -> Result<Self> {
        let mut first = Vec::new();
        bytes.by_ref().take(FILE_BEGIN).read_to_end(&mut first).map_err(failed)?;
        if first.starts_with(FILE_MARK) {
            let blanks = first[FILE_MARK.len()..].iter().take_while(|byte| **byte == 0).count();
            first.drain(..FILE_MARK.len() + blanks);
        }
        bytes = Box::new(Cursor::new(first).chain(bytes));
        let (decoder, waiting) = (StreamDecoder::new(), VecDeque::new());
        Ok(Self { bytes, decoder, schema: None, waiting, ended: false, is_followed: false })
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        while self.waiting.is_empty() && !self.ended {
            self.message()?;
        }
        Ok(self.waiting.pop_front())
    }

    /// Decodes the next message: columns, a batch, or the end.
    fn message(&mut self) -> Result<()> {
        let mut message = self.exactly(8, Vec::new())?;
        let (mark, length) = message.split_at(4);
        if mark != MARK {
            return Err(damaged("a message does not begin as it should"));
        }
        let length = length.iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
        if length == 0 {
            self.ended = true;
            let mut more = Vec::new();
            self.bytes.by_ref().take(1).read_to_end(&mut more).map_err(failed)?;
            self.is_followed = !more.is_empty();
        } else {
            message = self.exactly(length, message)?;
            let about = |message: arrow_ipc::Message<'_>| {
                (message.bodyLength(), message.header_as_schema().map(arrow_ipc::convert::fb_to_schema))
            };
            let (body, schema) = guarded(FORM, || arrow_ipc::root_as_message(&message[8..]).map(about))?;
            self.schema = self.schema.take().or(schema.map(Arc::new));
            let body = usize::try_from(body).map_err(|_| damaged("a length in it is negative"))?;
            message = self.exactly(body, message)?;
        }
        // A message without a body is taken only when the next one comes.
        let (decoder, waiting, mut message) = (&mut self.decoder, &mut self.waiting, Buffer::from_vec(message));
        guarded(FORM, || {
            while !message.is_empty() {
                waiting.extend(decoder.decode(&mut message)?);
            }
            Ok::<_, ArrowError>(())
        })
    }

    /// So many bytes more. Room for them is made as they come: a length may be a lie.
    fn exactly(&mut self, length: usize, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
        if length > LARGEST_MESSAGE {
            let most = LARGEST_MESSAGE >> 20;
            return Err(Error::data(format!("the Arrow stream is not read: a batch in it is larger than {most} MiB"))
                .with_hint("write it again with fewer rows in a batch"));
        }
        let read = self.bytes.by_ref().take(length as u64).read_to_end(&mut bytes).map_err(failed)?;
        if read < length { Err(damaged("it ends too early")) } else { Ok(bytes) }
    }
}

fn failed(cause: io::Error) -> Error {
    Error::io("read the Arrow stream", cause)
}

fn damaged(cause: &str) -> Error {
    unreadable(FORM, cause)
}
