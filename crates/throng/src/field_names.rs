//! The keys that a type has as JSON, asked of the type itself: also those that a value leaves out. So whoever compares the keys of a file
//! with those that throng writes need not keep a list of them.

use std::fmt;

use serde::Serialize;
use serde::ser::{Error, Impossible, SerializeStruct, Serializer};

/// The keys of a struct, in its order. Nothing for what is no struct.
pub(crate) fn field_names(value: &impl Serialize) -> Vec<&'static str> {
    value.serialize(Names(Vec::new())).unwrap_or_default()
}

struct Names(Vec<&'static str>);

impl SerializeStruct for Names {
    type Ok = Vec<&'static str>;
    type Error = NoStruct;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, _value: &T) -> Result<(), NoStruct> {
        self.0.push(key);
        Ok(())
    }

    fn skip_field(&mut self, key: &'static str) -> Result<(), NoStruct> {
        self.0.push(key);
        Ok(())
    }

    fn end(self) -> Result<Self::Ok, NoStruct> {
        Ok(self.0)
    }
}

/// That something is no struct.
#[derive(Debug)]
struct NoStruct;

impl fmt::Display for NoStruct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no struct")
    }
}

impl std::error::Error for NoStruct {}

impl Error for NoStruct {
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self
    }
}

/// What is no struct has no keys.
macro_rules! no_struct {
    ($($method:ident($($kind:ty),*) -> $what:ty;)*) => {
        $(fn $method(self, $(_: $kind),*) -> Result<$what, NoStruct> {
            Err(NoStruct)
        })*
    };
}

type Never = Impossible<Vec<&'static str>, NoStruct>;
type Found = Vec<&'static str>;

impl Serializer for Names {
    type Ok = Found;
    type Error = NoStruct;
    type SerializeSeq = Never;
    type SerializeTuple = Never;
    type SerializeTupleStruct = Never;
    type SerializeTupleVariant = Never;
    type SerializeMap = Never;
    type SerializeStruct = Self;
    type SerializeStructVariant = Never;

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<Self, NoStruct> {
        Ok(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Found, NoStruct> {
        value.serialize(self)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> Result<Found, NoStruct> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<Found, NoStruct> {
        Err(NoStruct)
    }

    no_struct! {
        serialize_bool(bool) -> Found;
        serialize_i8(i8) -> Found;
        serialize_i16(i16) -> Found;
        serialize_i32(i32) -> Found;
        serialize_i64(i64) -> Found;
        serialize_u8(u8) -> Found;
        serialize_u16(u16) -> Found;
        serialize_u32(u32) -> Found;
        serialize_u64(u64) -> Found;
        serialize_f32(f32) -> Found;
        serialize_f64(f64) -> Found;
        serialize_char(char) -> Found;
        serialize_str(&str) -> Found;
        serialize_bytes(&[u8]) -> Found;
        serialize_none() -> Found;
        serialize_unit() -> Found;
        serialize_unit_struct(&'static str) -> Found;
        serialize_unit_variant(&'static str, u32, &'static str) -> Found;
        serialize_seq(Option<usize>) -> Never;
        serialize_tuple(usize) -> Never;
        serialize_tuple_struct(&'static str, usize) -> Never;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Never;
        serialize_map(Option<usize>) -> Never;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Never;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Cup {
        tea: u8,
        #[serde(skip_serializing_if = "Option::is_none")]
        milk: Option<u8>,
        #[serde(rename = "lumps")]
        sugar: Vec<u8>,
    }

    #[test]
    fn keys_that_are_left_out_are_keys() {
        let cup = Cup { tea: 1, milk: None, sugar: Vec::new() };
        assert_eq!(field_names(&cup), ["tea", "milk", "lumps"]);
        assert_eq!(field_names(&Some(cup)), ["tea", "milk", "lumps"]);
        assert!(field_names(&7).is_empty() && field_names(&[7]).is_empty());
    }
}
