//! Why a file is no bundle, or a bundle cannot be written: one sentence, with what to do.

/// What every sentence about a damaged file ends with.
const AGAIN: &str = "copy or download it again from where it was made";

/// Why a bundle cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "a variant's sentence tells of its fields")]
pub enum BundleError {
    /// Some other kind of file.
    #[error(
        "this is not a tokencap bundle (no zip archive): choose a file made by `tokencap sweep`"
    )]
    NotABundle,
    /// A zip archive, but of something else.
    #[error(
        "this zip archive is not a tokencap bundle (it holds no manifest.json): choose a file \
         made by `tokencap sweep`"
    )]
    ForeignArchive,
    /// The archive's directory, which stands at the end, is missing or damaged.
    #[error("this bundle is incomplete or damaged ({problem}): {AGAIN}")]
    DamagedArchive {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// More than bundles hold.
    #[error("this archive holds {found} entries and a bundle at most {limit}: do not trust it")]
    TooManyEntries {
        /// Entries in the archive.
        found: usize,
        /// The cap.
        limit: usize,
    },
    /// A name that no bundle holds; so are paths, `..` and archives in the archive.
    #[error(
        "this archive holds `{name}`, which is no member of a bundle: choose a file as \
         `tokencap sweep` wrote it, or update tokencap if a newer one did"
    )]
    UnknownMember {
        /// The entry's name, shortened and with control characters escaped.
        name: String,
    },
    /// One name, two contents.
    #[error("this archive holds two entries of one name: do not trust it")]
    DuplicateMember,
    /// Not a plain file.
    #[error("the member {member} is {what}, which no bundle holds: do not trust this file")]
    Refused {
        member: String,
        /// What it is.
        what: &'static str,
    },
    /// Larger than bundles may be.
    #[error("{what} is {size} bytes long, more than the {limit} that tokencap reads or writes")]
    TooLarge {
        /// The member, or the whole.
        what: String,
        /// Bytes.
        size: u64,
        /// The cap.
        limit: u64,
    },
    /// More rows than its bytes can hold measurements.
    #[error(
        "the table {member} claims {rows} rows, and of its size it can have at most {limit}: \
         split a longer run, and do not trust a file that you did not make"
    )]
    TooManyRows {
        member: &'static str,
        rows: u64,
        /// The cap.
        limit: u64,
    },
    /// A member that every bundle holds.
    #[error("this bundle lacks its member {member}: {AGAIN}")]
    MissingMember { member: String },
    /// Contents that do not fit the archive's directory.
    #[error("the member {member} is damaged ({problem}): {AGAIN}")]
    DamagedMember {
        member: String,
        /// What was found.
        problem: String,
    },
    /// Contents other than the manifest says.
    #[error(
        "the member {member} is not the one that was measured (its SHA-256 differs from the \
         manifest's): it was damaged or changed, so {AGAIN}"
    )]
    Digest { member: String },
    /// Made by a later tool.
    #[error(
        "this bundle has {what} {found}, and this tokencap knows up to {known}: update tokencap"
    )]
    Newer {
        /// `format` or `definitions`.
        what: &'static str,
        /// The bundle's version.
        found: u32,
        /// The latest version known here.
        known: u32,
    },
    /// A manifest that is none.
    #[error("manifest.json is not a bundle's manifest: {AGAIN}")]
    Manifest(#[source] serde_json::Error),
    /// A manifest that contradicts itself.
    #[error("manifest.json contradicts itself ({problem}): measure again, or {AGAIN}")]
    Inconsistent {
        /// The contradiction.
        problem: String,
    },
    /// Not the table it should be.
    #[error("the table {member} cannot be read ({problem}): {AGAIN}")]
    Table {
        member: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A part that its writer refuses.
    #[error("the bundle's {member} cannot be written: {problem}")]
    Unwritten {
        /// The part.
        member: &'static str,
        problem: String,
    },
    /// Other columns than a bundle's.
    #[error("the table {member} does not have the columns of a bundle's format: {AGAIN}")]
    Schema { member: &'static str },
    /// A value that cannot be.
    #[error(
        "{member}, row {row} (counted from 0), column {column}: {problem}. The record is \
         rejected, and the bundle with it"
    )]
    Row {
        member: &'static str,
        /// Row, from 0.
        row: usize,
        column: &'static str,
        /// What is wrong with the value.
        problem: &'static str,
    },
    /// A line of the interval log that cannot be.
    #[error("gaps.hlog, line {line}: {problem}; {AGAIN}")]
    Gaps {
        /// Line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A histogram that the format does not hold.
    #[error("the gaps of step {step}, tier {tier} cannot be written: {problem}")]
    GapsKey { step: u32, tier: usize, problem: &'static str },
}
