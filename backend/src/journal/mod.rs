//! A run's records on disk as they come, so that no crash costs more than the step in flight.
//!
//! The file is only ever appended to, in frames with a length and a checksum; a step counts
//! once the frame of its end is on the disk. What a crash left behind that is cut off.

mod encode;
mod frame;

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tokencap_shared::bundle::{Bundle, Manifest};
use tokencap_shared::definitions::record::Request;
use tokencap_shared::definitions::telemetry::Sample;

use self::encode::{
    REQUEST, Reader, Series, StepEnd, read_request, read_sample, write_request, write_sample,
};
use self::frame::{Kind, MAGIC, VERSION};
use crate::step::{Recorder, StepRecord};
use tokencap_wire::gaps::Gaps;

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// There is one already.
    #[error(
        "{path} holds the records of an interrupted run: resume that run, or remove the file to \
         start anew"
    )]
    Exists {
        /// The file.
        path: String,
    },
    /// Another process writes to it.
    #[error("{path} is in use by another run")]
    InUse {
        /// The file.
        path: String,
    },
    /// It is something else.
    #[error("{path} is not a journal of this version of tokencap: {what}")]
    Foreign {
        /// The file.
        path: String,
        /// What is wrong with it.
        what: &'static str,
    },
    /// The system refuses.
    #[error("records cannot be {verb} {path}: {why}; those of finished steps are kept there")]
    Io {
        /// `written to` or `read from`.
        verb: &'static str,
        /// The file.
        path: String,
        /// What the system says.
        why: io::Error,
    },
}

/// A journal that is being written.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Frames that have not been written out.
    pending: Vec<u8>,
    /// Requests that stand in no frame yet.
    requests: Vec<u8>,
    flushed: Instant,
    errors: HashMap<String, u32>,
    series: HashMap<Series, u32>,
}

/// Records are written out when so many bytes of them have come, or so much time has passed.
const BATCH: usize = 64 << 10;
const EVERY: Duration = Duration::from_secs(1);

impl Journal {
    /// Begins a journal with what is known of the run at its start.
    ///
    /// # Errors
    /// If the file exists or cannot be written.
    pub fn create(path: &Path, head: &Manifest) -> Result<Self, JournalError> {
        let file = OpenOptions::new().read(true).append(true).create_new(true).open(path);
        let file = file.map_err(|why| match why.kind() {
            io::ErrorKind::AlreadyExists => JournalError::Exists { path: show(path) },
            _ => writing(path, why),
        })?;
        lock(&file, path)?;
        let mut journal = Self::over(path, file);
        let begin = |journal: &mut Self| {
            let payload = serde_json::to_vec(head).map_err(io::Error::other)?;
            journal.pending.extend_from_slice(&MAGIC);
            journal.pending.extend_from_slice(&VERSION.to_le_bytes());
            frame::write(&mut journal.pending, Kind::Head, &payload)?;
            journal.sync()?;
            // The file's name must be on the disk, too.
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            File::open(parent.unwrap_or(Path::new(".")))?.sync_all()
        };
        begin(&mut journal).map_err(|why| writing(path, why))?;
        tracing::info!(path = %path.display(), "the journal begins");
        Ok(journal)
    }

    /// Opens the journal of an interrupted run to go on with it; returns what its finished steps
    /// left. What was recorded of a step in flight is cut off.
    ///
    /// # Errors
    /// If the file is in use, is no journal, or cannot be read and written.
    pub fn resume(path: &Path) -> Result<(Self, Bundle), JournalError> {
        let open = OpenOptions::new().read(true).append(true).open(path);
        let file = open.map_err(|why| reading(path, why))?;
        lock(&file, path)?;
        let Contents { bundle, series, sound } = read_all(&file, path)?;
        let steps = bundle.manifest.steps.len();
        tracing::info!(path = %path.display(), steps, sound, "the journal goes on");
        file.set_len(sound).and_then(|()| file.sync_all()).map_err(|why| writing(path, why))?;
        let mut journal = Self::over(path, file);
        let numbered = bundle.errors.iter().cloned().zip(0..);
        journal.errors = numbered.collect();
        journal.series = series.into_iter().zip(0..).collect();
        Ok((journal, bundle))
    }

    /// Reads what the finished steps of a journal left.
    ///
    /// # Errors
    /// If the file is no journal or cannot be read.
    pub fn read(path: &Path) -> Result<Bundle, JournalError> {
        let file = File::open(path).map_err(|why| reading(path, why))?;
        Ok(read_all(&file, path)?.bundle)
    }

    fn over(path: &Path, file: File) -> Self {
        Self {
            path: path.into(),
            file,
            pending: Vec::new(),
            requests: Vec::new(),
            flushed: Instant::now(),
            errors: HashMap::new(),
            series: HashMap::new(),
        }
    }

    /// Writes down scrapes.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn telemetry(&mut self, samples: &[Sample]) -> Result<(), JournalError> {
        let mut payload = Vec::with_capacity(samples.len() * 20);
        let mut write = || {
            for sample in samples {
                let series = Series::of(sample);
                let number = match self.series.get(&series) {
                    Some(&number) => number,
                    None => {
                        let text = serde_json::to_vec(&series).map_err(io::Error::other)?;
                        frame::write(&mut self.pending, Kind::Series, &text)?;
                        let number = self.series.len() as u32;
                        *self.series.entry(series).or_insert(number)
                    }
                };
                write_sample(&mut payload, sample, number);
            }
            frame::write(&mut self.pending, Kind::Telemetry, &payload)
        };
        write().and_then(|()| self.flush_if_due()).map_err(|why| writing(&self.path, why))
    }

    /// Writes down that a step has ended. When this returns, no crash loses it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish_step(&mut self, record: &StepRecord) -> Result<(), JournalError> {
        let mut write = || {
            let end = StepEnd::new(&record.step, &record.gaps);
            let payload = serde_json::to_vec(&end).map_err(io::Error::other)?;
            self.frame_requests()?;
            frame::write(&mut self.pending, Kind::Step, &payload)?;
            self.sync()?;
            tracing::info!(step = record.step.id, "the journal has a step whole");
            Ok(())
        };
        write().map_err(|why| writing(&self.path, why))
    }

    /// The file's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the journal, once all it holds is safe elsewhere.
    ///
    /// # Errors
    /// If the file cannot be removed.
    pub fn remove(self) -> Result<(), JournalError> {
        std::fs::remove_file(&self.path).map_err(|why| writing(&self.path, why))
    }

    fn frame_requests(&mut self) -> io::Result<()> {
        if !self.requests.is_empty() {
            frame::write(&mut self.pending, Kind::Requests, &self.requests)?;
            self.requests.clear();
        }
        Ok(())
    }

    fn flush_if_due(&mut self) -> io::Result<()> {
        let due =
            self.pending.len() + self.requests.len() >= BATCH || (self.flushed.elapsed() >= EVERY);
        if due { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.frame_requests()?;
        self.file.write_all(&self.pending)?;
        tracing::debug!(bytes = self.pending.len(), "the journal is written");
        self.pending.clear();
        self.flushed = Instant::now();
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.flush()?;
        self.file.sync_data()
    }
}

impl Recorder for Journal {
    fn request(&mut self, request: &Request, error: Option<&str>, _: &Gaps) -> io::Result<()> {
        let mut request = *request;
        request.error = match error {
            None => None,
            Some(text) => Some(match self.errors.get(text) {
                Some(&number) => number,
                None => {
                    frame::write(&mut self.pending, Kind::Error, text.as_bytes())?;
                    let number = self.errors.len() as u32;
                    *self.errors.entry(text.into()).or_insert(number)
                }
            }),
        };
        write_request(&mut self.requests, &request);
        self.flush_if_due()
    }
}

/// What a journal held, and how many of its bytes are of finished steps.
struct Contents {
    bundle: Bundle,
    series: Vec<Series>,
    sound: u64,
}

fn read_all(mut file: &File, path: &Path) -> Result<Contents, JournalError> {
    let foreign = |what| JournalError::Foreign { path: show(path), what };
    file.seek(SeekFrom::Start(0)).map_err(|why| reading(path, why))?;
    let mut from = BufReader::with_capacity(1 << 20, file);
    let mut start = [0; 20];
    from.read_exact(&mut start).map_err(|_| foreign("it is too short"))?;
    let (magic, version) = start.split_at(16);
    if magic != MAGIC {
        return Err(foreign("it begins with other bytes"));
    }
    if version != VERSION.to_le_bytes() {
        return Err(foreign("it has another version's format"));
    }
    let mut next = || frame::read(&mut from).map_err(|why| reading(path, why));
    let Some((Kind::Head, head, length)) = next()? else {
        return Err(foreign("its first record is damaged"));
    };
    let manifest =
        serde_json::from_slice(&head).map_err(|_| foreign("its first record is damaged"))?;
    let mut read = Reading::new(manifest, 20 + length);
    let mut at = 20 + length;
    while let Some((kind, payload, length)) = next()? {
        at += length;
        if read.frame(kind, &payload, at).is_none() {
            break;
        }
    }
    Ok(read.finish())
}

/// A journal while it is being read: what belongs to finished steps, and what may yet.
struct Reading {
    done: Contents,
    errors: Vec<String>,
    series: Vec<Series>,
    requests: Vec<Request>,
    telemetry: Vec<Sample>,
}

impl Reading {
    fn new(manifest: Manifest, sound: u64) -> Self {
        let bundle = Bundle::of(manifest);
        Self {
            done: Contents { bundle, series: Vec::new(), sound },
            errors: Vec::new(),
            series: Vec::new(),
            requests: Vec::new(),
            telemetry: Vec::new(),
        }
    }

    /// Takes in a frame that ends at the given byte; `None` if it makes no sense.
    fn frame(&mut self, kind: Kind, payload: &[u8], at: u64) -> Option<()> {
        match kind {
            Kind::Head => return None,
            Kind::Error => self.errors.push(String::from_utf8(payload.to_vec()).ok()?),
            Kind::Series => self.series.push(serde_json::from_slice(payload).ok()?),
            Kind::Requests => {
                self.requests.reserve(payload.len() / REQUEST);
                let mut reader = Reader(payload);
                while !reader.0.is_empty() {
                    self.requests.push(read_request(&mut reader)?);
                }
            }
            Kind::Telemetry => {
                let mut reader = Reader(payload);
                while !reader.0.is_empty() {
                    self.telemetry.push(read_sample(&mut reader, &self.series)?);
                }
            }
            Kind::Step => self.step(serde_json::from_slice(payload).ok()?, at),
        }
        Some(())
    }

    fn step(&mut self, end: StepEnd, at: u64) {
        let bundle = &mut self.done.bundle;
        // Records of a step that was given up without an end do not count.
        self.requests.retain(|request| request.step == end.step.id);
        self.requests.sort_unstable_by_key(|request| (request.sent, request.session, request.turn));
        bundle.requests.append(&mut self.requests);
        bundle.telemetry.append(&mut self.telemetry);
        bundle.gaps.extend(end.gaps().map(|(tier, gaps)| ((end.step.id, tier), gaps)));
        bundle.manifest.steps.push(end.step);
        bundle.errors.clone_from(&self.errors);
        self.done.series.clone_from(&self.series);
        self.done.sound = at;
    }

    fn finish(mut self) -> Contents {
        self.done.bundle.telemetry.sort_by_key(|sample| sample.time);
        self.done
    }
}

fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    file.try_lock().map_err(|_| JournalError::InUse { path: show(path) })
}

fn show(path: &Path) -> String {
    path.display().to_string()
}

fn writing(path: &Path, why: io::Error) -> JournalError {
    JournalError::Io { verb: "written to", path: show(path), why }
}

fn reading(path: &Path, why: io::Error) -> JournalError {
    JournalError::Io { verb: "read from", path: show(path), why }
}
