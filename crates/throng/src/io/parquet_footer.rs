//! What a Parquet file says in Thrift's compact protocol, where the library does not tell: how deep its columns are nested, found out
//! before the library goes down there; and what the headers of its pages hold beside what is needed to read them.
//!
//! The library calls itself for each level, and a file of a few kilobytes can name more levels than there is stack: no panic,
//! which could be caught, but an abort. The description of a file is a structure in Thrift's compact protocol. Its second
//! field is the list of columns, each with the number of its children, parents first.

/// How deep the columns are nested; `None` if that cannot be told. `footer` is the description of the file.
pub(super) fn depth_of(footer: &[u8]) -> Option<usize> {
    let mut reader = Compact(footer);
    let mut field = 0;
    loop {
        let kind = reader.field(&mut field)?;
        if field == SCHEMA && kind == LIST {
            return reader.depth_of_schema();
        }
        reader.skip(kind, 0)?;
    }
}

/// How many bytes come after the structure that describes a file, and what its root is called; `None` if that cannot be told.
pub(super) fn beside(footer: &[u8]) -> Option<(usize, &[u8])> {
    let mut reader = Compact(footer);
    let (mut field, mut root): (i64, &[u8]) = (0, &[]);
    loop {
        match reader.field(&mut field)? {
            STOP => return Some((reader.0.len(), root)),
            LIST if field == SCHEMA => {
                let whole = reader.0;
                root = Compact(whole).root_name()?;
                reader.skip(LIST, 0)?;
            }
            kind => reader.skip(kind, 0)?,
        }
    }
}

/// The header of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PageHeader {
    /// How many bytes it has.
    pub(super) length: u64,
    /// How many bytes of the page follow it.
    pub(super) page: u64,
    /// Whether it holds anything that no reader needs: statistics, a checksum, or what nobody knows.
    pub(super) has_more: bool,
}

/// The header that some bytes begin with; `None` if it is not whole, or none.
pub(super) fn page_header(bytes: &[u8]) -> Option<PageHeader> {
    let mut reader = Compact(bytes);
    let (mut field, mut page, mut has_more) = (0, None, false);
    loop {
        match (reader.field(&mut field)?, field) {
            (STOP, _) => break,
            (I32, 1 | 2) => reader.number().map(drop)?,
            (I32, 3) => page = Some(u64::try_from(reader.signed()?).ok()?),
            // A page of rows, a dictionary, and a page of rows of the second sort: numbers and truth values, and nothing else.
            (STRUCT, 5) => has_more |= reader.has_more_than(4)?,
            (STRUCT, 7) => has_more |= reader.has_more_than(3)?,
            (STRUCT, 8) => has_more |= reader.has_more_than(7)?,
            (kind, _) => {
                has_more = true;
                reader.skip(kind, 0)?;
            }
        }
    }
    Some(PageHeader { length: (bytes.len() - reader.0.len()) as u64, page: page?, has_more })
}

/// The field of a file that lists its columns.
const SCHEMA: i64 = 2;
/// The field of a column that counts its children.
const CHILDREN: i64 = 5;
/// The field of a column with its name.
const NAME: i64 = 4;

/// Types of Thrift's compact protocol.
const STOP: u8 = 0;
const I32: u8 = 5;
const TEXT: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// The structures that describe a column are at most this deep; nobody makes them deeper.
const DEEPEST_VALUE: usize = 16;

/// Bytes in Thrift's compact protocol, from the front.
struct Compact<'a>(&'a [u8]);

impl<'a> Compact<'a> {
    /// The name of the first of a list of columns.
    fn root_name(&mut self) -> Option<&'a [u8]> {
        let (length, kind) = self.list()?;
        if length == 0 || kind != STRUCT {
            return None;
        }
        let mut field = 0;
        loop {
            match self.field(&mut field)? {
                STOP => return Some(&[]),
                TEXT if field == NAME => {
                    let length = usize::try_from(self.number()?).ok()?;
                    return self.0.get(..length);
                }
                kind => self.skip(kind, 0)?,
            }
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// A number in groups of seven bits.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A signed number, zigzag.
    fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// The type of the next field of a structure, and its number, given that of the one before it.
    fn field(&mut self, number: &mut i64) -> Option<u8> {
        let byte = self.byte()?;
        let (step, kind) = (byte >> 4, byte & 15);
        if kind != STOP {
            *number = if step == 0 { self.signed()? } else { number.checked_add(i64::from(step))? };
        }
        Some(kind)
    }

    /// The length and the type of a list.
    fn list(&mut self) -> Option<(u64, u8)> {
        let byte = self.byte()?;
        let length = if byte >> 4 == 15 { self.number()? } else { u64::from(byte >> 4) };
        Some((length, byte & 15))
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        if depth > DEEPEST_VALUE {
            return None;
        }
        match kind {
            // True and false are types of their own.
            1 | 2 => Some(()),
            3 => self.byte().map(drop),
            4..=6 => self.number().map(drop),
            7 => self.bytes(8),
            8 => {
                let length = self.number()?;
                self.bytes(length)
            }
            LIST | 10 => {
                let (length, kind) = self.list()?;
                // In a list a truth value takes a byte.
                let kind = if matches!(kind, 1 | 2) { 3 } else { kind };
                (0..length).try_for_each(|_| self.skip(kind, depth + 1))
            }
            STRUCT => {
                let mut field = 0;
                loop {
                    match self.field(&mut field)? {
                        STOP => return Some(()),
                        kind => self.skip(kind, depth + 1)?,
                    }
                }
            }
            _ => None,
        }
    }

    fn bytes(&mut self, length: u64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(length).ok()?..)?;
        Some(())
    }

    /// Goes over a structure. Whether it has a field beyond so many, or one that is neither a number nor a truth value.
    fn has_more_than(&mut self, fields: i64) -> Option<bool> {
        let (mut field, mut has_more) = (0, false);
        loop {
            match self.field(&mut field)? {
                STOP => return Some(has_more),
                kind => {
                    has_more |= !(1..=fields).contains(&field) || !matches!(kind, 1 | 2 | I32);
                    self.skip(kind, 0)?;
                }
            }
        }
    }

    fn depth_of_schema(&mut self) -> Option<usize> {
        let (length, kind) = self.list()?;
        if kind != STRUCT {
            return None;
        }
        // For each level the columns that are still to come.
        let (mut open, mut deepest): (Vec<u64>, usize) = (Vec::new(), 0);
        for _ in 0..length {
            let (mut field, mut children) = (0, 0);
            loop {
                match self.field(&mut field)? {
                    STOP => break,
                    I32 if field == CHILDREN => children = u64::try_from(self.signed()?).ok()?,
                    kind => self.skip(kind, 0)?,
                }
            }
            while open.last() == Some(&0) {
                open.pop();
            }
            if let Some(left) = open.last_mut() {
                *left -= 1;
            }
            if children > 0 {
                open.push(children);
            }
            deepest = deepest.max(open.len());
        }
        Some(deepest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A description whose columns have these numbers of children.
    fn footer(children: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0x15, 0x02, 0x19, (children.len() as u8) << 4 | STRUCT];
        for &children in children {
            bytes.extend([0x48, 1, b'x', 0x15, 2 * children, STOP]);
        }
        bytes.extend([0x16, 0x00, STOP]);
        bytes
    }

    /// A page of 10 bytes, 20 unpacked, with 3 values.
    #[test]
    fn headers_of_pages() {
        let of_rows = |more: &[u8]| {
            [&[0x15, 0, 0x15, 40, 0x15, 20, 0x2c, 0x15, 6, 0x15, 0, 0x15, 6, 0x15, 6], more, &[STOP, STOP]].concat()
        };
        let header = |bytes: &[u8]| page_header(bytes).map(|found| (found.length as usize, found.page, found.has_more));
        let plain = of_rows(&[]);
        assert_eq!(header(&plain), Some((plain.len(), 10, false)));
        assert_eq!(header(&[&plain[..], b"rows"].concat()), Some((plain.len(), 10, false)));
        // Statistics with a greatest value.
        let more = of_rows(&[0x1c, 0x18, 3, b'a', b'n', b'n', STOP]);
        assert_eq!(header(&more), Some((more.len(), 10, true)));
        // A checksum.
        assert_eq!(header(&[0x15, 0, 0x15, 40, 0x15, 20, 0x15, 2, STOP]), Some((9, 10, true)));
        for cut in 0..plain.len() {
            assert_eq!(header(&plain[..cut]), None);
        }
    }

    #[test]
    fn depths() {
        assert_eq!(depth_of(&footer(&[2, 0, 0])), Some(1));
        assert_eq!(depth_of(&footer(&[2, 1, 0, 0])), Some(2));
        assert_eq!(depth_of(&footer(&[1, 1, 1, 0])), Some(3));
        assert_eq!(depth_of(&footer(&[2, 1, 0, 2, 0, 0])), Some(2));
        assert_eq!(depth_of(&[]), None);
        assert_eq!(depth_of(&footer(&[2, 0, 0])[..9]), None);
        assert_eq!(beside(&footer(&[2, 0, 0])), Some((0, &b"x"[..])));
        assert_eq!(beside(&[&footer(&[2, 0, 0])[..], b"ann"].concat()), Some((3, &b"x"[..])));
        // A list that says that it is longer than anything, and structures without end.
        assert_eq!(depth_of(&[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f]), None);
        assert_eq!(depth_of(&[0x1c; 1000]), None);
    }
}
