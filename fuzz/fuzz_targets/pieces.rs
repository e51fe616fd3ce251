//! The same bytes as a network would bring them: cut into pieces of one size.

/// The bytes behind the first, which says how long a piece is.
pub fn of(input: &[u8]) -> Option<(&[u8], impl Iterator<Item = &[u8]>)> {
    let (&size, bytes) = input.split_first()?;
    Some((bytes, bytes.chunks(usize::from(size).max(1))))
}
