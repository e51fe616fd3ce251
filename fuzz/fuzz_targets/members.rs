//! One member of a bundle replaced by any bytes, under a manifest that vouches for them: the
//! readers of tables and logs see what a forger would give them.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use sha2::{Digest, Sha256};
use tokencap_shared::bundle;

static SEED: &[u8] = include_bytes!("../../shared/src/bundle/old/format-1-signed.tokencap");
const NAMES: [&str; 4] = ["manifest.json", "requests.parquet", "gaps.hlog", "telemetry.parquet"];

/// The members of the seed, which are stored as they are.
static MEMBERS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let mut at = 0;
    let mut members = Vec::new();
    while SEED[at..].starts_with(b"PK\x03\x04") {
        let long = |at: usize| u32::from_le_bytes(SEED[at..at + 4].try_into().unwrap()) as usize;
        let name = usize::from(u16::from_le_bytes(SEED[at + 26..at + 28].try_into().unwrap()));
        let start = at + 30 + name;
        let stop = start + long(at + 18);
        members.push(SEED[start..stop].to_vec());
        at = stop;
    }
    members
});

fuzz_target!(|input: &[u8]| {
    let Some((&which, contents)) = input.split_first() else { return };
    let which = usize::from(which) % NAMES.len();
    let mut members = MEMBERS.clone();
    members[which] = contents.to_vec();
    if which > 0 {
        let mut manifest: serde_json::Value = serde_json::from_slice(&members[0]).unwrap();
        let digest: String =
            base16ct::lower::encode_string(&Sha256::digest(contents));
        manifest["members"][NAMES[which]] = digest.into();
        members[0] = serde_json::to_vec(&manifest).unwrap();
    }
    let bytes = zip(&members);
    if let Ok(read) = bundle::read(&bytes) {
        bundle::write(&read).expect("what was read can be written");
    }
});

fn zip(members: &[Vec<u8>]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (name, contents) in NAMES.iter().zip(members) {
        let mut described = vec![20, 0, 0, 0, 0, 0, 0, 0, 33, 0];
        described.extend_from_slice(&crc(contents).to_le_bytes());
        described.extend_from_slice(&(contents.len() as u32).to_le_bytes());
        described.extend_from_slice(&(contents.len() as u32).to_le_bytes());
        described.extend_from_slice(&(name.len() as u16).to_le_bytes());
        described.extend_from_slice(&[0, 0]);
        directory.extend_from_slice(b"PK\x01\x02\x14\x03");
        directory.extend_from_slice(&described);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(b"PK\x03\x04");
        bytes.extend_from_slice(&described);
        bytes.extend_from_slice(name.as_bytes());
        bytes.extend_from_slice(contents);
    }
    let start = bytes.len() as u32;
    bytes.extend_from_slice(&directory);
    bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0\x04\0\x04\0");
    bytes.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&start.to_le_bytes());
    bytes.extend_from_slice(&[0; 2]);
    bytes
}

fn crc(contents: &[u8]) -> u32 {
    let mut crc = !0_u32;
    for byte in contents {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}
