//! DSSE envelopes: a payload, and one ed25519 signature over exactly its bytes.
//!
//! The signed message is PAE(type, payload) of the DSSE specification, so no canonical JSON is
//! needed inside. The envelope around it is not signed, so its text must be the one that
//! [`Envelope::to_text`] writes, to the byte: nothing in a sign-off's file can be changed unseen.

use base16ct::lower::{decode, encode_string};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};

/// The payload type of every envelope here: an in-toto statement.
const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// What comes before the public key, in hex, in a key's id.
const KEY_PREFIX: &str = "ed25519:";

/// A public key, which is its own id: `ed25519:` and 64 hex digits. An id says nothing about
/// trust; it allows to tell a good signature by an unknown key from a bad one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PublicKey([u8; 32]);

/// Not a public key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a public key is `ed25519:` and 64 lower-case hex digits, as `tokencap keygen` prints it")]
pub struct KeyError;

impl PublicKey {
    /// The public half of a signing key.
    #[must_use]
    pub fn of(key: &SigningKey) -> Self {
        Self(key.verifying_key().to_bytes())
    }

    /// The first 16 hex digits, to be compared by eye.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        encode_string(&self.0[..8])
    }

    /// Whether the signature is this key's over the message. Strict: no weak key, and no second
    /// encoding of a signature passes.
    fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        VerifyingKey::from_bytes(&self.0)
            .is_ok_and(|key| key.verify_strict(message, &Signature::from_bytes(signature)).is_ok())
    }
}

impl std::fmt::Display for PublicKey {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(to, "{KEY_PREFIX}{}", encode_string(&self.0))
    }
}

impl TryFrom<String> for PublicKey {
    type Error = KeyError;
    fn try_from(text: String) -> Result<Self, KeyError> {
        let hex = text.strip_prefix(KEY_PREFIX).ok_or(KeyError)?;
        let mut key = [0; 32];
        let digits = decode(hex, &mut key).map_err(|_| KeyError)?;
        if digits.len() == 32 { Ok(Self(key)) } else { Err(KeyError) }
    }
}

impl From<PublicKey> for String {
    fn from(key: PublicKey) -> Self {
        key.to_string()
    }
}

/// A DSSE envelope with one signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The signed bytes.
    pub payload: Vec<u8>,
    /// Who claims to have signed them.
    pub key: PublicKey,
    pub(super) signature: [u8; 64],
}

/// Why a text is no envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum EnvelopeError {
    /// Not the JSON of an envelope.
    #[error("it is not a DSSE envelope")]
    NotAnEnvelope,
    /// Some other payload.
    #[error("its payload is not an in-toto statement")]
    PayloadType,
    /// No signature, or several.
    #[error("it must carry exactly one signature")]
    SignatureCount,
    /// A key id that is no key.
    #[error("its key id is no ed25519 key")]
    KeyId,
    /// Base64 that is none, or a signature of another length.
    #[error("its payload or signature is not well-formed")]
    Encoding,
    /// An envelope, but spelled otherwise than it was written.
    #[error("its text is not the one that was written")]
    Spelling,
}

/// The JSON of an envelope.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Json {
    payload_type: String,
    payload: String,
    signatures: Vec<JsonSignature>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JsonSignature {
    keyid: String,
    sig: String,
}

impl Envelope {
    /// Signs a payload.
    #[must_use]
    pub fn sign(payload: Vec<u8>, key: &SigningKey) -> Self {
        let signature = key.sign(&pae(PAYLOAD_TYPE, &payload)).to_bytes();
        Self { payload, key: PublicKey::of(key), signature }
    }

    /// Whether the signature is good for the key that the envelope names. Whether that key is
    /// trusted is another question.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.key.verifies(&pae(PAYLOAD_TYPE, &self.payload), &self.signature)
    }

    /// The envelope as JSON.
    #[must_use]
    pub fn to_text(&self) -> String {
        // Hex, base64 and a constant: nothing that JSON would escape.
        let (payload, sig) = (STANDARD.encode(&self.payload), STANDARD.encode(self.signature));
        format!(
            r#"{{"payloadType":"{PAYLOAD_TYPE}","payload":"{payload}","signatures":[{{"keyid":"{}","sig":"{sig}"}}]}}"#,
            self.key
        )
    }

    /// Reads an envelope.
    ///
    /// # Errors
    /// If the text is not exactly one that [`Envelope::to_text`] writes.
    pub fn from_text(text: &str) -> Result<Self, EnvelopeError> {
        let json: Json =
            serde_json::from_slice(text.as_bytes()).map_err(|_| EnvelopeError::NotAnEnvelope)?;
        if json.payload_type != PAYLOAD_TYPE {
            return Err(EnvelopeError::PayloadType);
        }
        let [signature] = <[JsonSignature; 1]>::try_from(json.signatures)
            .map_err(|_| EnvelopeError::SignatureCount)?;
        let key = PublicKey::try_from(signature.keyid).map_err(|_| EnvelopeError::KeyId)?;
        let decode = |text: &str| STANDARD.decode(text).map_err(|_| EnvelopeError::Encoding);
        let payload = decode(&json.payload)?;
        let signature = decode(&signature.sig)?.try_into().map_err(|_| EnvelopeError::Encoding)?;
        let envelope = Self { payload, key, signature };
        if envelope.to_text() != text {
            return Err(EnvelopeError::Spelling);
        }
        Ok(envelope)
    }
}

/// DSSE's pre-authentication encoding: lengths before contents, so that no two pairs of type and
/// payload make the same message.
fn pae(kind: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {kind} {} ", kind.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

/// Bytes as lower-case hex digits.
#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u8) -> SigningKey {
        SigningKey::from_bytes(&[seed; 32])
    }

    #[test]
    fn the_message_is_the_one_of_the_specification() {
        assert_eq!(
            pae("http://example.com/HelloWorld", b"hello world"),
            b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
    }

    #[test]
    fn an_envelope_survives_its_text() {
        let envelope = Envelope::sign(b"{}".to_vec(), &key(1));
        assert!(envelope.is_intact());
        assert_eq!(Envelope::from_text(&envelope.to_text()), Ok(envelope));
    }

    #[test]
    fn no_bit_of_the_text_can_be_changed() {
        let text = Envelope::sign(b"{\"a\":1}".to_vec(), &key(1)).to_text();
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let Ok(changed) = String::from_utf8(bytes) else { continue };
                let intact = Envelope::from_text(&changed).is_ok_and(|read| read.is_intact());
                assert!(!intact, "byte {at}, bit {bit}: {changed}");
            }
        }
    }

    #[test]
    fn another_spelling_or_another_key_is_no_signature() {
        let envelope = Envelope::sign(b"{}".to_vec(), &key(1));
        let text = envelope.to_text();
        assert_eq!(Envelope::from_text(&format!("{text} ")), Err(EnvelopeError::Spelling));
        let renamed =
            text.replace(&PublicKey::of(&key(1)).to_string(), &PublicKey::of(&key(2)).to_string());
        assert!(!Envelope::from_text(&renamed).unwrap().is_intact());
        // The identity point is a weak key: it would verify signatures that nobody made.
        let mut weak = [0; 32];
        weak[0] = 1;
        assert!(!PublicKey(weak).verifies(b"", &[0; 64]));
    }

    #[test]
    fn keys_are_read_as_they_are_printed() {
        let key = PublicKey::of(&key(7));
        assert_eq!(PublicKey::try_from(key.to_string()), Ok(key));
        assert_eq!(key.fingerprint().len(), 16);
        for bad in ["", "ed25519:00", &key.to_string().to_uppercase(), &key.to_string()[1..]] {
            assert!(PublicKey::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }
}
