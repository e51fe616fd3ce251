//! The open bundles, those being read, and what could not be opened.

use std::collections::VecDeque;
use std::sync::Arc;

use leptos::prelude::*;
use leptos::task::spawn_local;
use tokencap_shared::bundle::{self, Bundle, Seal};
use tokencap_shared::definitions::capacity::Capacity;
use tokencap_shared::signoff::SignOff;

use super::reading::{self, Refusal};
use crate::browser;
use crate::workbench;

/// What the names of bundles end with.
const EXTENSION: &str = ".tokencap";

/// Identity of an open bundle, or of one being read, within this visit.
pub(crate) type Key = u32;

/// An open bundle, judged by its own promise sheet.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    /// Its identity here.
    pub(crate) key: Key,
    /// Its file's name.
    pub(crate) name: String,
    /// What it holds.
    pub(crate) bundle: Arc<Bundle>,
    /// What its signatures are about.
    pub(crate) seal: Seal,
    /// What that proves.
    pub(crate) capacity: Arc<Capacity>,
    /// What its sign-offs are worth: nothing, until they are verified.
    pub(crate) sign_off: SignOff,
}

/// A bundle being read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Job {
    /// The identity that it will have.
    pub(crate) key: Key,
    /// Its file's name.
    pub(crate) name: String,
    /// How far it is.
    pub(crate) stage: Stage,
}

/// How far the reading of a bundle is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stage {
    /// Others come first.
    Waiting,
    /// Its bytes are fetched, unpacked and checked.
    Reading,
    /// Its records are read.
    Rows {
        /// Rows.
        read: usize,
        /// Of how many.
        of: usize,
    },
    /// Its steps are judged: this one, from 1, of so many.
    Judging {
        /// The step.
        step: usize,
        /// Of how many.
        of: usize,
    },
}

/// A file that could not be opened.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// Identity of the attempt.
    pub(crate) key: Key,
    /// The file's name; empty for the server itself.
    pub(crate) name: String,
    /// Why.
    pub(crate) refusal: Refusal,
}

/// Where a bundle comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// The reader's own file.
    File(web_sys::File),
    /// The server, under this digest.
    Server {
        /// Digest of the bundle.
        id: String,
        /// Its file's name there.
        name: String,
    },
}

impl Source {
    fn name(&self) -> String {
        match self {
            Self::File(file) => file.name(),
            Self::Server { name, .. } => name.clone(),
        }
    }
}

/// The bundles.
#[derive(Clone, Copy)]
pub(crate) struct Library {
    /// Those that are open, in the order they were opened.
    pub(crate) loaded: RwSignal<Vec<Loaded>>,
    /// Those being read or waiting for it.
    pub(crate) jobs: RwSignal<Vec<Job>>,
    /// Those that could not be opened.
    pub(crate) problems: RwSignal<Vec<Problem>>,
    /// The one whose details are shown.
    pub(crate) selected: RwSignal<Option<Key>>,
    /// Name of the bundle that was opened last, for those who cannot see it appear.
    pub(crate) opened: RwSignal<Option<String>>,
    /// Other tools' results that lie on the workbench.
    pub(crate) imported: RwSignal<Vec<Key>>,
    /// The keys that the reader trusts, as TOML.
    pub(crate) trust: StoredValue<String>,
    queue: StoredValue<VecDeque<(Key, Source)>, LocalStorage>,
    sources: StoredValue<Vec<(Key, Source)>, LocalStorage>,
    next: StoredValue<Key>,
}

impl Library {
    /// An empty library.
    pub(super) fn start() -> Self {
        Self {
            loaded: RwSignal::new(Vec::new()),
            jobs: RwSignal::new(Vec::new()),
            problems: RwSignal::new(Vec::new()),
            selected: RwSignal::new(None),
            opened: RwSignal::new(None),
            imported: RwSignal::new(Vec::new()),
            trust: StoredValue::new(String::new()),
            queue: StoredValue::new_local(VecDeque::new()),
            sources: StoredValue::new_local(Vec::new()),
            next: StoredValue::new(0),
        }
    }

    /// Opens bundles one after the other, and reads all other files together as other tools'
    /// results.
    pub(crate) fn open_files(self, files: Vec<web_sys::File>) {
        let is_bundle = |file: &web_sys::File| file.name().ends_with(EXTENSION);
        let (bundles, others): (Vec<_>, Vec<_>) = files.into_iter().partition(is_bundle);
        self.open(bundles.into_iter().map(Source::File));
        if !others.is_empty() {
            spawn_local(self.import(others));
        }
    }

    async fn import(self, files: Vec<web_sys::File>) {
        let name = files.first().map(web_sys::File::name).unwrap_or_default();
        let key = self.new_key();
        match workbench::import(key, &files).await {
            Ok(run) => {
                self.imported.update(|imported| imported.push(key));
                browser::go(&format!("/runs?run={run}"));
            }
            Err(error) => self.refuse(name, Refusal::Other(error)),
        }
    }

    /// Where an open bundle came from.
    pub(crate) fn source(self, key: Key) -> Option<Source> {
        self.sources.with_value(|sources| {
            let found = sources.iter().find(|(of, _)| *of == key);
            found.map(|(_, source)| source.clone())
        })
    }

    /// Notes what a bundle's sign-offs are worth.
    pub(crate) fn signed(self, key: Key, state: SignOff) {
        self.loaded.update(|loaded| {
            if let Some(bundle) = loaded.iter_mut().find(|bundle| bundle.key == key) {
                bundle.sign_off = state;
            }
        });
    }

    /// Opens bundles one after the other, behind those that already wait.
    pub(crate) fn open(self, sources: impl Iterator<Item = Source>) {
        let idle = self.jobs.with_untracked(Vec::is_empty);
        for source in sources {
            let key = self.new_key();
            let job = Job { key, name: source.name(), stage: Stage::Waiting };
            self.jobs.update(|jobs| jobs.push(job));
            self.queue.update_value(|queue| queue.push_back((key, source)));
        }
        if idle && self.jobs.with_untracked(|jobs| !jobs.is_empty()) {
            spawn_local(self.work());
        }
    }

    /// Closes a bundle.
    pub(crate) fn close(self, key: Key) {
        self.loaded.update(|loaded| loaded.retain(|bundle| bundle.key != key));
        self.sources.update_value(|sources| sources.retain(|(of, _)| *of != key));
        if self.selected.get_untracked() == Some(key) {
            self.selected.set(self.loaded.with_untracked(|loaded| loaded.first().map(|b| b.key)));
        }
    }

    /// Reports a file, or with an empty name the server, that could not be read.
    pub(crate) fn refuse(self, name: String, refusal: Refusal) {
        let problem = Problem { key: self.new_key(), name, refusal };
        self.problems.update(|problems| problems.push(problem));
    }

    /// Forgets a problem.
    pub(crate) fn dismiss(self, key: Key) {
        self.problems.update(|problems| problems.retain(|problem| problem.key != key));
    }

    fn new_key(self) -> Key {
        self.next.update_value(|next| *next += 1);
        self.next.get_value()
    }

    /// Reads what waits until nothing does.
    async fn work(self) {
        while let Some((key, source)) = self.queue.try_update_value(VecDeque::pop_front).flatten() {
            let name = source.name();
            self.stage(key, Stage::Reading);
            browser::breathe().await;
            match self.read(key, source.clone()).await {
                Ok((bundle, seal, capacity)) => {
                    let (bundle, capacity) = (Arc::new(bundle), Arc::new(capacity));
                    self.sources.update_value(|sources| sources.push((key, source)));
                    let sign_off = SignOff::Unsigned;
                    self.add(Loaded { key, name, bundle, seal, capacity, sign_off });
                }
                Err(refusal) => self.refuse(name, refusal),
            }
            self.jobs.update(|jobs| jobs.retain(|job| job.key != key));
        }
        if let Err(error) = workbench::verify(self).await {
            self.refuse(String::new(), Refusal::Other(error));
        }
    }

    async fn read(self, key: Key, source: Source) -> Result<(Bundle, Seal, Capacity), Refusal> {
        let bytes = reading::bytes(source).await?;
        if bundle::has_signoffs(&bytes) {
            // What checks signatures is loaded meanwhile.
            spawn_local(async move { drop(workbench::trust(self).await) });
        }
        browser::breathe().await;
        reading::read(bytes, |stage| self.stage(key, stage)).await
    }

    fn stage(self, key: Key, stage: Stage) {
        self.jobs.update(|jobs| {
            if let Some(job) = jobs.iter_mut().find(|job| job.key == key) {
                job.stage = stage;
            }
        });
    }

    /// Adds a bundle. The same run opened again takes the place that it had.
    fn add(self, new: Loaded) {
        let (key, name) = (new.key, new.name.clone());
        let before = self.loaded.try_update(|loaded| {
            let run = &new.bundle.manifest.run;
            match loaded.iter_mut().find(|open| open.bundle.manifest.run == *run) {
                Some(open) => Some(std::mem::replace(open, new).key),
                None => {
                    loaded.push(new);
                    None
                }
            }
        });
        let selected = self.selected.get_untracked();
        if selected.is_none() || selected == before.flatten() {
            self.selected.set(Some(key));
        }
        self.opened.set(Some(name));
    }
}
