//! Signing keys on disk, encrypted with a passphrase.
//!
//! The passphrase becomes a key by Argon2id; ChaCha20-Poly1305 encrypts the secret half with it
//! and authenticates everything else that stands in the file.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Key, Nonce};
use ed25519_dalek::SigningKey;
use serde::{Deserialize, Serialize};
use tokencap_shared::signoff::PublicKey;

use crate::files;

const FORMAT: &str = "tokencap-key-1";
/// Shorter passphrases are guessed.
pub(crate) const MIN_PASSPHRASE: usize = 8;
/// No key file is longer.
const MAX_FILE: u64 = 16 << 10;

/// A key file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyFile {
    head: Head,
    /// The secret half, encrypted; base64.
    secret: String,
}

/// All of the file that is readable, and authenticated with the secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    format: String,
    /// Whose key it is, for the signature's reader.
    name: String,
    public: PublicKey,
    argon2id: Cost,
    /// Base64.
    salt: String,
    /// Base64.
    nonce: String,
}

/// What one guess of the passphrase costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "a field without a sentence is what its name says")]
pub struct Cost {
    /// Memory in KiB.
    pub memory_kib: u32,
    /// Passes over it.
    pub passes: u32,
    pub lanes: u32,
}

impl Default for Cost {
    /// 64 MiB and three passes: the second recommendation of RFC 9106.
    fn default() -> Self {
        Self { memory_kib: 64 << 10, passes: 3, lanes: 4 }
    }
}

/// Why a key cannot be made or used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum KeyError {
    /// Too short.
    #[error("the passphrase must have at least {MIN_PASSPHRASE} characters: choose a longer one")]
    WeakPassphrase,
    /// Already there.
    #[error("{path} is already there: a key is never overwritten, choose another path")]
    Exists { path: PathBuf },
    /// Not readable or writable.
    #[error("cannot {what} the key file {path}: check the path and its permissions")]
    File {
        /// `read` or `write`.
        what: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// Some other file.
    #[error("{path} is not a key file: give one that `tokencap keygen` wrote")]
    NotAKey { path: PathBuf },
    /// Wrong passphrase, or a damaged file.
    #[error("the passphrase does not open this key (or the key file was changed): try again")]
    Locked,
    /// The operating system refused the memory.
    #[error("there is not enough memory to open the key: free {memory_kib} KiB")]
    Memory {
        /// How much it takes.
        memory_kib: u32,
    },
}

impl KeyFile {
    /// Makes a new key.
    ///
    /// # Errors
    /// If the passphrase is too short.
    pub fn generate(name: &str, passphrase: &str, cost: Cost) -> Result<Self, KeyError> {
        if passphrase.chars().count() < MIN_PASSPHRASE {
            return Err(KeyError::WeakPassphrase);
        }
        // The thread's generator is cryptographic and seeded by the operating system.
        let key = SigningKey::from_bytes(&rand::random());
        let nonce: [u8; 12] = rand::random();
        let salt: [u8; 16] = rand::random();
        let head = Head {
            format: FORMAT.to_owned(),
            name: name.to_owned(),
            public: PublicKey::of(&key),
            argon2id: cost,
            salt: STANDARD.encode(salt),
            nonce: STANDARD.encode(nonce),
        };
        let cipher = head.cipher(passphrase, &salt)?;
        let (msg, aad) = (key.to_bytes(), head.authenticated());
        let payload = Payload { msg: &msg, aad: &aad };
        let secret = cipher.encrypt(&Nonce::from(nonce), payload).map_err(|_| KeyError::Locked)?;
        Ok(Self { head, secret: STANDARD.encode(secret) })
    }

    /// Whose key it is.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.head.name
    }

    /// The public half.
    #[must_use]
    pub const fn public(&self) -> &PublicKey {
        &self.head.public
    }

    /// Decrypts the secret half.
    ///
    /// # Errors
    /// If the passphrase is wrong or the file was changed.
    pub fn unlock(&self, passphrase: &str) -> Result<SigningKey, KeyError> {
        let decode = |text: &str| STANDARD.decode(text).map_err(|_| KeyError::Locked);
        let nonce: [u8; 12] = decode(&self.head.nonce)?.try_into().map_err(|_| KeyError::Locked)?;
        let cipher = self.head.cipher(passphrase, &decode(&self.head.salt)?)?;
        let (msg, aad) = (decode(&self.secret)?, self.head.authenticated());
        let payload = Payload { msg: &msg, aad: &aad };
        let secret = cipher.decrypt(&Nonce::from(nonce), payload).map_err(|_| KeyError::Locked)?;
        let key = SigningKey::from_bytes(&secret.try_into().map_err(|_| KeyError::Locked)?);
        if PublicKey::of(&key) == self.head.public { Ok(key) } else { Err(KeyError::Locked) }
    }

    /// Writes a new file that only its owner may read.
    ///
    /// # Errors
    /// If there is a file already, or the place is not writable.
    pub fn save(&self, path: &Path) -> Result<(), KeyError> {
        let failed = |source: io::Error| match source.kind() {
            ErrorKind::AlreadyExists => KeyError::Exists { path: path.to_owned() },
            _ => KeyError::File { what: "write", path: path.to_owned(), source },
        };
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(failed)?;
        let text = serde_json::to_string_pretty(self).map_err(|error| failed(error.into()))?;
        file.write_all(format!("{text}\n").as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(failed)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is no key file.
    pub fn load(path: &Path) -> Result<Self, KeyError> {
        let failed = |source| KeyError::File { what: "read", path: path.to_owned(), source };
        let foreign = || KeyError::NotAKey { path: path.to_owned() };
        let text = files::read(path, MAX_FILE).map_err(failed)?;
        let file: Self = serde_json::from_slice(&text).map_err(|_| foreign())?;
        let Cost { memory_kib, passes, lanes } = file.head.argon2id;
        // A hostile file shall not take all memory, nor all day.
        let sane = memory_kib <= 1 << 20 && passes <= 32 && lanes <= 64;
        if file.head.format == FORMAT && sane { Ok(file) } else { Err(foreign()) }
    }
}

impl Head {
    fn cipher(&self, passphrase: &str, salt: &[u8]) -> Result<ChaCha20Poly1305, KeyError> {
        let Cost { memory_kib, passes, lanes } = self.argon2id;
        let params =
            Params::new(memory_kib, passes, lanes, Some(32)).map_err(|_| KeyError::Locked)?;
        let argon = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let mut key = [0; 32];
        argon.hash_password_into(passphrase.as_bytes(), salt, &mut key).map_err(
            |error| match error {
                argon2::Error::OutOfMemory => KeyError::Memory { memory_kib },
                _ => KeyError::Locked,
            },
        )?;
        Ok(ChaCha20Poly1305::new(&Key::from(key)))
    }

    fn authenticated(&self) -> Vec<u8> {
        // Texts and whole numbers always become JSON, in the order of the fields.
        serde_json::to_vec(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHEAP: Cost = Cost { memory_kib: 64, passes: 1, lanes: 1 };

    #[test]
    fn only_the_passphrase_opens_a_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.json");
        let file = KeyFile::generate("Wang Li", "correct horse", CHEAP).unwrap();
        file.save(&path).unwrap();
        let back = KeyFile::load(&path).unwrap();
        assert_eq!(back, file);
        let key = back.unlock("correct horse").unwrap();
        assert_eq!(PublicKey::of(&key), *file.public());
        assert!(matches!(back.unlock("correct hors"), Err(KeyError::Locked)));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains(&STANDARD.encode(key.to_bytes())), "the secret is not readable");
        assert!(matches!(file.save(&path), Err(KeyError::Exists { .. })), "never overwritten");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn nothing_in_the_file_can_be_changed_unseen() {
        let file = KeyFile::generate("Wang Li", "correct horse", CHEAP).unwrap();
        let mut renamed = file.clone();
        renamed.head.name = "Li Wang".to_owned();
        let mut other = file.clone();
        other.head.public = *KeyFile::generate("x", "correct horse", CHEAP).unwrap().public();
        let mut cheaper = file.clone();
        cheaper.head.argon2id.passes = 2;
        for changed in [renamed, other, cheaper] {
            assert!(matches!(changed.unlock("correct horse"), Err(KeyError::Locked)));
        }
    }

    #[test]
    fn weak_passphrases_and_foreign_or_hostile_files_are_refused() {
        let weak = KeyFile::generate("x", "short", CHEAP);
        assert!(matches!(weak, Err(KeyError::WeakPassphrase)));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.json");
        std::fs::write(&path, "{}").unwrap();
        assert!(matches!(KeyFile::load(&path), Err(KeyError::NotAKey { .. })));
        let mut hostile = KeyFile::generate("x", "correct horse", CHEAP).unwrap();
        hostile.head.argon2id.memory_kib = u32::MAX;
        std::fs::write(&path, serde_json::to_string(&hostile).unwrap()).unwrap();
        assert!(matches!(KeyFile::load(&path), Err(KeyError::NotAKey { .. })));
        assert!(matches!(KeyFile::load(&folder.path().join("no")), Err(KeyError::File { .. })));
    }
}
