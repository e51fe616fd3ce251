//! Makes hostile files.

use std::io::{Cursor, Read, Write};
use std::sync::Arc;

use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use sha2::{Digest, Sha256};
use tokencap_shared::{bundle, fixture};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

type Members = Vec<(String, Vec<u8>)>;

/// Every hostile file, by what it does.
pub(crate) fn all() -> Vec<(&'static str, Vec<u8>)> {
    let members = members();
    let with = |name: &str, contents: &[u8]| {
        let mut more = members.clone();
        more.push((name.to_owned(), contents.to_vec()));
        packed(&more)
    };
    let inner = packed(&members);
    vec![
        ("a zip bomb", bomb("requests.parquet", 3 << 30)),
        ("a bomb just below the caps", bomb("requests.parquet", 1 << 30)),
        ("a zip bomb as the manifest", bomb("manifest.json", 15 << 20)),
        ("a million entries", million()),
        ("a million entries, counted wrongly", miscounted(million(), 4)),
        ("more entries than counted", miscounted(with("signoff/a.dsse.json", b"{}"), 4)),
        ("fewer entries than counted", miscounted(inner.clone(), 60)),
        ("a nested zip", with("inner.zip", &inner)),
        ("a zip as the table", forged(&members, "requests.parquet", inner.clone())),
        ("a doubled name", doubled(&members)),
        ("an absolute name", with("/etc/passwd", b"root")),
        ("a climbing name", with("../../requests.parquet", b"x")),
        ("a name with a drive", with("C:\\requests.parquet", b"x")),
        ("a name with a zero", with("requests.parquet\0.txt", b"x")),
        ("a symlink", symlink(&members)),
        ("an encrypted entry", encrypted(&members)),
        ("a size that lies upwards", resized(&inner, 1 << 29)),
        ("a size that lies downwards", resized(&inner, 1)),
        ("overlapping members", overlapping(&inner)),
        ("a directory that points outside", outside(&inner)),
        ("a Parquet footer of 2 GB", footer(&members, 0x7fff_fff0)),
        ("a Parquet footer larger than its file", footer(&members, 1 << 20)),
        ("a Parquet table of 2^60 rows", rows(&members)),
        ("a Parquet page that claims 2 GB", page(&members)),
        ("Parquet pages that expand a thousandfold", expanding(&members)),
        ("a manifest nested 100,000 deep", forged(&members, "manifest.json", deep())),
        ("a histogram that unpacks a thousandfold", histogram(&members)),
        ("nothing but zeros", vec![0; 1 << 20]),
        ("nothing but end records", b"PK\x05\x06".repeat(1 << 20)),
        ("an empty archive", packed(&Vec::new())),
    ]
}

fn members() -> Members {
    let bytes = bundle::write(&fixture::bundle()).unwrap();
    let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut file = archive.by_index(index).unwrap();
            let mut contents = Vec::new();
            file.read_to_end(&mut contents).unwrap();
            (file.name().unwrap().into_owned(), contents)
        })
        .collect()
}

fn stored() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(CompressionMethod::Stored)
}

fn packed(members: &Members) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in members {
        zip.start_file(name, stored()).unwrap();
        zip.write_all(contents).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// With one member replaced, and the manifest vouching for it.
fn forged(members: &Members, member: &str, contents: Vec<u8>) -> Vec<u8> {
    let mut members = members.clone();
    let digest: String = base16ct::lower::encode_string(&Sha256::digest(&contents));
    for (name, bytes) in &mut members {
        if name == member {
            bytes.clone_from(&contents);
        } else if name == "manifest.json" {
            let mut manifest: serde_json::Value = serde_json::from_slice(bytes).unwrap();
            manifest["members"][member] = digest.clone().into();
            *bytes = manifest.to_string().into_bytes();
        }
    }
    packed(&members)
}

/// One member of so many zeros, deflated.
fn bomb(member: &str, size: u64) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().large_file(size > u64::from(u32::MAX));
    for (name, contents) in members() {
        if name != member {
            zip.start_file(name, stored()).unwrap();
            zip.write_all(&contents).unwrap();
        }
    }
    let deflated = options.compression_method(CompressionMethod::Deflated);
    zip.start_file(member, deflated).unwrap();
    let zeros = vec![0; 1 << 20];
    for _ in 0..size >> 20 {
        zip.write_all(&zeros).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Written by hand: a million empty entries.
fn million() -> Vec<u8> {
    const COUNT: u32 = 1_000_000;
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    for index in 0..COUNT {
        let name = format!("{index:07}");
        let mut described = [0; 26];
        described[0] = 20;
        described[22] = 7;
        directory.extend_from_slice(b"PK\x01\x02\x14\x03");
        directory.extend_from_slice(&described);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(b"PK\x03\x04");
        bytes.extend_from_slice(&described);
        bytes.extend_from_slice(name.as_bytes());
    }
    let start = bytes.len() as u32;
    let size = directory.len() as u32;
    bytes.append(&mut directory);
    bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0\xff\xff\xff\xff");
    bytes.extend_from_slice(&size.to_le_bytes());
    bytes.extend_from_slice(&start.to_le_bytes());
    bytes.extend_from_slice(&[0; 2]);
    bytes
}

/// Where the end record starts.
fn end(bytes: &[u8]) -> usize {
    bytes.len() - 22
}

fn miscounted(mut bytes: Vec<u8>, count: u16) -> Vec<u8> {
    let end = end(&bytes);
    for at in [end + 8, end + 10] {
        bytes[at..at + 2].copy_from_slice(&count.to_le_bytes());
    }
    bytes
}

fn doubled(members: &Members) -> Vec<u8> {
    let mut members = members.clone();
    members.push(("gaps_hlog".to_owned(), b"x".to_vec()));
    replaced(packed(&members), b"gaps_hlog", b"gaps.hlog")
}

/// With one text in place of another of the same length, everywhere.
fn replaced(mut bytes: Vec<u8>, old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut from = 0;
    while let Some(at) = bytes[from..].windows(old.len()).position(|window| window == old) {
        bytes[from + at..from + at + old.len()].copy_from_slice(new);
        from += at + old.len();
    }
    bytes
}

fn symlink(members: &Members) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in members.iter().filter(|(name, _)| name != "gaps.hlog") {
        zip.start_file(name, stored()).unwrap();
        zip.write_all(contents).unwrap();
    }
    zip.add_symlink("gaps.hlog", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    zip.finish().unwrap().into_inner()
}

fn encrypted(members: &Members) -> Vec<u8> {
    let mut bytes = packed(members);
    // The flag alone: both before the contents and in the directory.
    let at = first(&bytes, b"PK\x03\x04");
    bytes[at + 6] |= 1;
    let at = first(&bytes, b"PK\x01\x02");
    bytes[at + 8] |= 1;
    bytes
}

fn first(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).position(|window| window == what).unwrap()
}

/// The first member's unpacked size, both times.
fn resized(bytes: &[u8], size: u32) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (signature, at) in [(b"PK\x03\x04", 22), (b"PK\x01\x02", 24)] {
        let at = first(&bytes, signature) + at;
        bytes[at..at + 4].copy_from_slice(&size.to_le_bytes());
    }
    bytes
}

/// Every entry of the directory points to the first member.
fn overlapping(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut at = first(&bytes, b"PK\x01\x02");
    while bytes[at..].starts_with(b"PK\x01\x02") {
        bytes[at + 42..at + 46].copy_from_slice(&[0; 4]);
        at += 46 + usize::from(bytes[at + 28]);
    }
    bytes
}

fn outside(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let end = end(&bytes);
    bytes[end + 16..end + 20].copy_from_slice(&0xffff_fff0_u32.to_le_bytes());
    bytes
}

fn table(members: &Members) -> Vec<u8> {
    members.iter().find(|(name, _)| name == "requests.parquet").unwrap().1.clone()
}

fn footer(members: &Members, length: u32) -> Vec<u8> {
    let mut table = table(members);
    let at = table.len() - 8;
    table[at..at + 4].copy_from_slice(&length.to_le_bytes());
    forged(members, "requests.parquet", table)
}

/// The footer's count of rows, as a Thrift varint, replaced by one of the same length.
fn rows(members: &Members) -> Vec<u8> {
    let mut table = table(members);
    let count = fixture::bundle().requests.len() as u64;
    let mut zigzag = count << 1;
    let mut varint = Vec::new();
    while zigzag > 0x7f {
        varint.push((zigzag & 0x7f) as u8 | 0x80);
        zigzag >>= 7;
    }
    varint.push(zigzag as u8);
    let huge = vec![0xff; varint.len() - 1];
    let footer = table.len() - 8 - footer_length(&table);
    let found: Vec<usize> = (footer..table.len() - varint.len())
        .filter(|&at| table[at..].starts_with(&varint))
        .collect();
    assert!(!found.is_empty(), "the footer has the count");
    for at in found {
        table[at..at + huge.len()].copy_from_slice(&huge);
        table[at + huge.len()] = 0x7f;
    }
    forged(members, "requests.parquet", table)
}

fn footer_length(table: &[u8]) -> usize {
    let at = table.len() - 8;
    u32::from_le_bytes(table[at..at + 4].try_into().unwrap()) as usize
}

/// The first page's header: its unpacked size becomes 2 GB. The header is Thrift's compact form:
/// field 1 (type), field 2 (uncompressed size), field 3 (compressed size)…
fn page(members: &Members) -> Vec<u8> {
    let mut table = table(members);
    // After the magic: 0x15 (field 1, i32), the type, 0x15 (field 2, i32), the size.
    assert_eq!((table[4], table[6]), (0x15, 0x15));
    let mut end = 7;
    while table[end] & 0x80 != 0 {
        end += 1;
    }
    // zigzag(2^31 − 1) in five bytes; the offsets behind it move, so the reader that trusts the
    // header is asked for 2 GB before it can notice.
    table.splice(7..=end, [0xfe, 0xff, 0xff, 0xff, 0x0f]);
    forged(members, "requests.parquet", table)
}

/// A million equal rows, which run-length encoding packs into some ten kilobytes.
fn expanding(members: &Members) -> Vec<u8> {
    const ROWS: usize = 1 << 20;
    let model = SerializedFileReader::new(bytes::Bytes::from(table(members))).unwrap();
    let schema = model.metadata().file_metadata().schema_descr().root_schema_ptr();
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let absent = vec![0; ROWS];
    while let Some(mut column) = group.next_column().unwrap() {
        let required = |levels: i16| levels == 0;
        match column.untyped() {
            ColumnWriter::Int32ColumnWriter(to) => {
                let rows = required(to.get_descriptor().max_def_level());
                let values = vec![0; if rows { ROWS } else { 0 }];
                to.write_batch(&values, (!rows).then_some(&absent[..]), None).unwrap()
            }
            ColumnWriter::Int64ColumnWriter(to) => {
                let rows = required(to.get_descriptor().max_def_level());
                let values = vec![0; if rows { ROWS } else { 0 }];
                to.write_batch(&values, (!rows).then_some(&absent[..]), None).unwrap()
            }
            ColumnWriter::ByteArrayColumnWriter(to) => {
                let rows = required(to.get_descriptor().max_def_level());
                let values = vec![ByteArray::from("cancelled"); if rows { ROWS } else { 0 }];
                to.write_batch(&values, (!rows).then_some(&absent[..]), None).unwrap()
            }
            _ => panic!("no such column in a bundle"),
        };
        column.close().unwrap();
    }
    group.close().unwrap();
    let table = file.into_inner().unwrap();
    assert!(table.len() < 100_000, "{} bytes", table.len());
    forged(members, "requests.parquet", table)
}

fn deep() -> Vec<u8> {
    let depth = 100_000;
    format!("{{\"steps\":{}{}}}", "[".repeat(depth), "]".repeat(depth)).into_bytes()
}

/// A line of the interval log whose payload is a bomb.
fn histogram(members: &Members) -> Vec<u8> {
    use base64::Engine;
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![0; 1 << 20];
    for _ in 0..512 {
        packer.write_all(&zeros).unwrap();
    }
    let packed = packer.finish().unwrap();
    let mut payload = 0x1c84_9304_u32.to_be_bytes().to_vec();
    payload.extend_from_slice(&(packed.len() as u32).to_be_bytes());
    payload.extend_from_slice(&packed);
    let payload = base64::engine::general_purpose::STANDARD.encode(payload);
    let log = format!("Tag=0.0,0.000,1.000,1.000,{payload}\n");
    forged(members, "gaps.hlog", log.into_bytes())
}
