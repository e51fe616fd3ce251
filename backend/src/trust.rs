//! The reader's trusted keys: a TOML file of the reader's own, never a part of a bundle.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy as _, choose_base_strategy};
use tokencap_shared::signoff::Trust;

use crate::files::{self, MOST_OF_A_SHEET};

/// Why trusted keys cannot be read.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum TrustError {
    /// Not there, or not readable.
    #[error("cannot read the trusted keys {path}: check the path and its permissions")]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// Not a list of keys.
    #[error("the trusted keys {path} cannot be understood: `tokencap keygen` prints what to write")]
    Invalid {
        path: PathBuf,
        /// Where and why.
        source: toml::de::Error,
    },
}

/// Where trusted keys stand if no file is named: `tokencap/trusted.toml` in the user's
/// configuration folder.
#[must_use]
pub fn default_path() -> Option<PathBuf> {
    let folder = choose_base_strategy().ok()?.config_dir();
    Some(folder.join("tokencap").join("trusted.toml"))
}

/// Reads the trusted keys of a file; without one, those of the default file, or none if there is
/// no such file.
///
/// # Errors
/// If a file is there but cannot be read or understood, or a named one is not there.
pub fn load(named: Option<&Path>) -> Result<Trust, TrustError> {
    let path = match named {
        Some(path) => path.to_owned(),
        None => match default_path() {
            Some(path) => path,
            None => return Ok(Trust::default()),
        },
    };
    let text = match files::read_text(&path, MOST_OF_A_SHEET) {
        Ok(text) => text,
        Err(error) if named.is_none() && error.kind() == ErrorKind::NotFound => {
            return Ok(Trust::default());
        }
        Err(source) => return Err(TrustError::Unreadable { path, source }),
    };
    toml::from_str(&text).map_err(|source| TrustError::Invalid { path, source })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokencap_shared::definitions::promise::Role;

    #[test]
    fn keys_revocations_and_successors_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("trusted.toml");
        let text = format!(
            r#"
            [[keys]]
            name = "Wang Li"
            key = "ed25519:{:064x}"
            roles = ["measured-by", "reviewed-by"]
            valid_until = "2027-01-01"
            [[revoked]]
            run = "r1"
            reason = "wrong checkpoint"
            [[superseded]]
            run = "r2"
            by = "r3"
            "#,
            7
        );
        std::fs::write(&path, &text).unwrap();
        let trust = load(Some(&path)).unwrap();
        assert_eq!(trust.keys[0].roles, [Role::MeasuredBy, Role::ReviewedBy]);
        assert_eq!(trust.revoked[0].reason, "wrong checkpoint");
        assert_eq!(trust.superseded[0].by, "r3");
        std::fs::write(&path, text.replace("valid_until", "valid_untill")).unwrap();
        assert!(matches!(load(Some(&path)), Err(TrustError::Invalid { .. })));
        let missing = folder.path().join("missing.toml");
        assert!(matches!(load(Some(&missing)), Err(TrustError::Unreadable { .. })));
    }
}
