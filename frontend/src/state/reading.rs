//! From a file to a judged bundle, in slices between which the page draws and answers.

use std::pin::Pin;
use std::sync::Arc;

use tokencap_shared::bundle::judged::of_step;
use tokencap_shared::bundle::{self, Bundle, BundleError, Progress, Seal};
use tokencap_shared::definitions::capacity::{self, Capacity};

use super::library::{Source, Stage};
use crate::browser::{self, FetchError};

/// Why a bundle could not be opened.
#[derive(Clone, Debug)]
pub(crate) enum Refusal {
    /// The browser cannot read the file.
    UnreadableFile,
    /// Nothing is in the file.
    EmptyFile,
    /// It is no bundle, or a damaged one.
    Bundle(Arc<BundleError>),
    /// It holds no keys to trust; what is wrong with it, and where.
    Keys(String),
    /// What the workbench says against it.
    Other(String),
    /// The server does not answer.
    ServerGone,
    /// The server answers with this status.
    ServerRefuses(u16),
}

/// Reads and judges a bundle, from its bytes.
pub(super) async fn read(
    bytes: Vec<u8>,
    stage: impl Fn(Stage),
) -> Result<(Bundle, Seal, Capacity), Refusal> {
    let (bundle, seal) = unpack(&bytes, &stage).await?;
    drop(bytes);
    let of = bundle.manifest.steps.len();
    let mut judged = Vec::with_capacity(of);
    for (at, step) in bundle.manifest.steps.iter().enumerate() {
        stage(Stage::Judging { step: at + 1, of });
        browser::breathe().await;
        judged.push(of_step(&bundle, step, &bundle.manifest.promise));
    }
    let manifest = &bundle.manifest;
    let capacity = capacity::of_steps(judged, &manifest.promise, manifest.deployment.gpus_serving);
    Ok((bundle, seal, capacity))
}

/// The bytes of a bundle, from wherever it comes.
pub(crate) async fn bytes(source: Source) -> Result<Vec<u8>, Refusal> {
    match source {
        Source::File(file) => browser::bytes_of(&file).await.ok_or(Refusal::UnreadableFile),
        Source::Server { id, .. } => {
            browser::fetch(&format!("api/bundles/{id}")).await.map_err(|error| match error {
                FetchError::Unreachable => Refusal::ServerGone,
                FetchError::Status(status) => Refusal::ServerRefuses(status),
            })
        }
    }
}

async fn unpack(bytes: &[u8], stage: &impl Fn(Stage)) -> Result<(Bundle, Seal), Refusal> {
    if bytes.is_empty() {
        return Err(Refusal::EmptyFile);
    }
    let mut pause = |progress| -> Pin<Box<dyn Future<Output = ()>>> {
        if let Progress::Rows { read, of } = progress {
            stage(Stage::Rows { read, of });
        }
        Box::pin(browser::breathe())
    };
    let opened = bundle::open_in_slices(bytes, &mut pause).await;
    opened.map_err(|error| Refusal::Bundle(Arc::new(error)))
}
