//! Thrift's compact protocol, in which Parquet writes its metadata.

use super::{Fault, Result};

/// How deeply structures may lie in each other: Parquet's own need five.
const DEPTH: u32 = 12;

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const I16: u8 = 4;
const I32: u8 = 5;
const I64: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;
const UUID: u8 = 13;

const CUT: Fault = Fault("its metadata ends too early");
const FOREIGN: Fault = Fault("its metadata is not what Parquet's would be");

/// Metadata being read from the front.
#[derive(Clone, Debug)]
pub(super) struct Thrift<'a> {
    rest: &'a [u8],
}

/// A field of a structure, whose value is read next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    /// Its number.
    pub(super) id: i64,
    kind: u8,
}

impl<'a> Thrift<'a> {
    pub(super) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What is left.
    pub(super) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(CUT)?;
        self.rest = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        self.take(1).map(|byte| byte[0])
    }

    fn varint(&mut self) -> Result<u64> {
        let mut value = 0_u64;
        for place in 0..10 {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(FOREIGN)
    }

    fn length(&mut self) -> Result<usize> {
        // Whatever has a length takes a byte an element or more.
        let length = usize::try_from(self.varint()?).map_err(|_| CUT)?;
        if length > self.rest.len() { Err(CUT) } else { Ok(length) }
    }

    fn zigzag(&mut self) -> Result<i64> {
        let value = self.varint()?;
        Ok((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
    }

    /// The structure's next field after the one of number `before`; `None` at its end.
    pub(super) fn field(&mut self, before: i64) -> Result<Option<Field>> {
        let head = self.byte()?;
        let (kind, step) = (head & 0x0f, i64::from(head >> 4));
        if kind == 0 {
            return Ok(None);
        }
        let id = if step == 0 { self.zigzag()? } else { before.saturating_add(step) };
        Ok(Some(Field { id, kind }))
    }

    /// A field's whole number.
    pub(super) fn int(&mut self, field: Field) -> Result<i64> {
        match field.kind {
            I16 | I32 | I64 => self.zigzag(),
            _ => Err(FOREIGN),
        }
    }

    /// A field's bytes.
    pub(super) fn binary(&mut self, field: Field) -> Result<&'a [u8]> {
        if field.kind != BINARY {
            return Err(FOREIGN);
        }
        let length = self.length()?;
        self.take(length)
    }

    /// Enters a field's structure.
    pub(super) const fn structure(&self, field: Field) -> Result<()> {
        if field.kind == STRUCT { Ok(()) } else { Err(FOREIGN) }
    }

    /// Enters a field's list of structures; how many there are.
    pub(super) fn structures(&mut self, field: Field) -> Result<usize> {
        if field.kind != LIST {
            return Err(FOREIGN);
        }
        let (kind, length) = self.list()?;
        if kind == STRUCT || length == 0 { Ok(length) } else { Err(FOREIGN) }
    }

    fn list(&mut self) -> Result<(u8, usize)> {
        let head = self.byte()?;
        let short = usize::from(head >> 4);
        let length = if short == 15 { self.length()? } else { short };
        if length > self.rest.len() { Err(CUT) } else { Ok((head & 0x0f, length)) }
    }

    /// Passes over a field.
    pub(super) fn skip(&mut self, field: Field) -> Result<()> {
        match field.kind {
            // A field's truth stands in its head.
            TRUE | FALSE => Ok(()),
            kind => self.skip_value(kind, DEPTH),
        }
    }

    fn skip_value(&mut self, kind: u8, depth: u32) -> Result<()> {
        let depth = depth.checked_sub(1).ok_or(FOREIGN)?;
        match kind {
            TRUE | FALSE | BYTE => self.take(1).map(drop),
            I16 | I32 | I64 => self.varint().map(drop),
            DOUBLE => self.take(8).map(drop),
            UUID => self.take(16).map(drop),
            BINARY => {
                let length = self.length()?;
                self.take(length).map(drop)
            }
            LIST | SET => {
                let (kind, length) = self.list()?;
                (0..length).try_for_each(|_| self.skip_value(kind, depth))
            }
            MAP => {
                let length = self.length()?;
                let kinds = if length == 0 { 0 } else { self.byte()? };
                (0..length).try_for_each(|_| {
                    self.skip_value(kinds >> 4, depth)?;
                    self.skip_value(kinds & 0x0f, depth)
                })
            }
            STRUCT => {
                let mut before = 0;
                while let Some(field) = self.field(before)? {
                    before = field.id;
                    if !matches!(field.kind, TRUE | FALSE) {
                        self.skip_value(field.kind, depth)?;
                    }
                }
                Ok(())
            }
            _ => Err(FOREIGN),
        }
    }
}

/// Reads a structure's fields one after the other, and passes over those that `$known` does not
/// name.
macro_rules! fields {
    ($thrift:expr, $field:ident, { $($id:literal => $read:expr),+ $(,)? }) => {{
        let mut before = 0;
        while let Some($field) = $thrift.field(before)? {
            before = $field.id;
            match $field.id {
                $($id => $read,)+
                _ => $thrift.skip($field)?,
            }
        }
    }};
}
pub(super) use fields;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_are_passed_over_whatever_they_are() {
        let bytes = [
            0x11, // field 1: true
            0x1c, 0x15, 0x02, 0x00, // field 2: a structure with one number
            0x19, 0x25, 0x02, 0x04, // field 3: a list of two numbers
            0x1b, 0x01, 0x85, 0x01, b'k', 0x08, // field 4: a map from text to a number
            0x18, 0x02, b'h', b'i', // field 5: two bytes
            0x15, 0x54, // field 6: 42
            0x00,
        ];
        let mut thrift = Thrift::new(&bytes);
        let mut found = None;
        let mut read = || -> Result<()> {
            fields!(thrift, field, { 6 => found = Some(thrift.int(field)?) });
            Ok(())
        };
        read().unwrap();
        assert_eq!(found, Some(42));
        assert!(thrift.rest().is_empty());
    }

    #[test]
    fn lengths_beyond_the_end_and_endless_nesting_are_refused() {
        let read = |bytes: &[u8]| {
            let mut thrift = Thrift::new(bytes);
            let field = thrift.field(0)?.ok_or(CUT)?;
            thrift.skip(field)
        };
        assert_eq!(read(&[0x18, 0xff, 0xff, 0xff, 0xff, 0x0f]), Err(CUT));
        assert_eq!(read(&[0x19, 0xfc, 0xff, 0xff, 0xff, 0xff, 0x0f]), Err(CUT));
        assert_eq!(read(&[0x1c; 1000]), Err(FOREIGN));
        assert_eq!(read(&[0x1e]), Err(FOREIGN));
        assert_eq!(
            read(&[0x15, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            Err(FOREIGN)
        );
    }
}
