//! The promise sheet: what a customer was promised, exactly as it will be judged.

use serde::{Deserialize, Serialize};

use crate::units::{Nanos, Share};

/// A duration written in milliseconds in promise sheets, kept as whole nanoseconds.
mod millis {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use crate::units::Nanos;

    pub(super) fn serialize<S: Serializer>(nanos: &Nanos, to: S) -> Result<S::Ok, S::Error> {
        if nanos.0.is_multiple_of(1_000_000) {
            to.serialize_u64(nanos.0 / 1_000_000)
        } else {
            to.serialize_f64(nanos.0 as f64 / 1e6)
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Nanos, D::Error> {
        let millis = f64::deserialize(from)?;
        if !(millis.is_finite() && millis > 0.0 && millis < 1e12) {
            return Err(D::Error::custom("a time limit must be a positive number of milliseconds"));
        }
        Ok(Nanos((millis * 1e6).round() as u64))
    }
}

/// A fraction of integers, so that "99.95 %" is compared exactly: 9995 of 10000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Target {
    good: u32,
    of: u32,
}

impl Target {
    /// The share of values within the limit behind every promise on a P99.
    pub const P99: Self = Self { good: 99, of: 100 };

    /// Parts per million.
    const SCALE: u32 = 1_000_000;

    /// A target of `good` in `of`.
    ///
    /// # Errors
    /// Unless 0 < good ≤ of.
    pub fn new(good: u32, of: u32) -> Result<Self, PromiseError> {
        if good == 0 || good > of {
            return Err(PromiseError::Target { value: f64::from(good) / f64::from(of) });
        }
        Ok(Self { good, of })
    }

    /// Whether `good` of `n` reach the target, in integers. Nothing of nothing does not.
    #[must_use]
    pub const fn reached_by(self, good: u64, n: u64) -> bool {
        n > 0 && good as u128 * self.of as u128 >= n as u128 * self.good as u128
    }

    /// As a share.
    #[must_use]
    pub fn share(self) -> Share {
        Share::clamped(f64::from(self.good) / f64::from(self.of))
    }

    /// How many of `n` may be bad: ⌊(1 − target)·n⌋, in integers.
    #[must_use]
    pub const fn allowed_bad(self, n: u64) -> u64 {
        ((self.of - self.good) as u128 * n as u128 / self.of as u128) as u64
    }
}

impl TryFrom<f64> for Target {
    type Error = PromiseError;
    fn try_from(value: f64) -> Result<Self, PromiseError> {
        let parts = (value * f64::from(Self::SCALE)).round();
        if !value.is_finite() || parts < 1.0 || parts > f64::from(Self::SCALE) {
            return Err(PromiseError::Target { value });
        }
        Self::new(parts as u32, Self::SCALE)
    }
}

impl From<Target> for f64 {
    fn from(target: Target) -> f64 {
        target.share().get()
    }
}

/// The rule by which a request's own gaps (ITL) comply. With m gaps and limit L, `bad` of them
/// above L.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "rule", try_from = "RuleFields")]
pub enum ItlRule {
    /// `bad ≤ ⌊(1 − q)·m⌋`, and no gap above `stall_ms`: a request's gaps are a set, and a
    /// single freeze is still caught.
    GapShare {
        /// 0.99 or 0.95: the quantiles that the records keep.
        q: GapQuantile,
        /// No gap may exceed this. The usual choice is ten times the limit.
        #[serde(rename = "stall_ms", with = "millis")]
        stall: Nanos,
    },
    /// `bad = 0`.
    WorstGap,
    /// `Σ gaps ≤ L·m`.
    MeanGap,
}

/// A rule as it is written: one flat list of fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFields {
    rule: String,
    q: Option<GapQuantile>,
    stall_ms: Option<Millis>,
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Millis(#[serde(with = "millis")] Nanos);

impl TryFrom<RuleFields> for ItlRule {
    type Error = &'static str;
    fn try_from(fields: RuleFields) -> Result<Self, Self::Error> {
        match (fields.rule.as_str(), fields.q, fields.stall_ms) {
            ("gap_share", Some(q), Some(Millis(stall))) => Ok(Self::GapShare { q, stall }),
            ("worst_gap", None, None) => Ok(Self::WorstGap),
            ("mean_gap", None, None) => Ok(Self::MeanGap),
            _ => Err(
                "`rule` is \"worst_gap\", \"mean_gap\", or \"gap_share\" with `q` and `stall_ms`",
            ),
        }
    }
}

/// The quantiles of a request's gaps that its record keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub enum GapQuantile {
    /// 0.95
    P95,
    /// 0.99
    P99,
}

impl TryFrom<f64> for GapQuantile {
    type Error = PromiseError;
    fn try_from(value: f64) -> Result<Self, PromiseError> {
        match value {
            0.95 => Ok(Self::P95),
            0.99 => Ok(Self::P99),
            _ => Err(PromiseError::GapQuantile { value }),
        }
    }
}

impl From<GapQuantile> for f64 {
    fn from(q: GapQuantile) -> f64 {
        match q {
            GapQuantile::P95 => 0.95,
            GapQuantile::P99 => 0.99,
        }
    }
}

/// An inclusive range of prompt tokens, and the limits promised to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// Short name, such as `≤8k`.
    pub name: String,
    /// Fewest prompt tokens.
    pub isl_min: u32,
    /// Most prompt tokens.
    pub isl_max: u32,
    /// TTFT limit: a request complies at ≤.
    #[serde(rename = "ttft_ms", with = "millis")]
    pub ttft: Nanos,
    /// TPOT P99 limit (≤): 40 ms is 25 tokens/s.
    #[serde(rename = "tpot_ms", with = "millis")]
    pub tpot: Nanos,
}

/// Which promises exist. A signed promise decides λ_slo_max; a watched one is only shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PromiseKind {
    /// Share of a tier's valid requests that comply.
    Attainment,
    /// TTFT P99 of a tier (≤).
    TtftP99,
    /// ITL P99 over all gaps of a tier (<).
    ItlP99,
    /// TPOT P99 of a tier (≤).
    TpotP99,
    /// Queue P99 of a tier (<), or of the whole step where only the server's histogram tells.
    QueueP99,
    /// Share of valid requests that completed.
    Success,
}

impl PromiseKind {
    /// Every kind, in the order of a report.
    pub const ALL: [Self; 6] = [
        Self::Attainment,
        Self::TtftP99,
        Self::ItlP99,
        Self::TpotP99,
        Self::QueueP99,
        Self::Success,
    ];

    /// The kind that is written so in files.
    pub(crate) fn of_tag(tag: &str) -> Option<Self> {
        let tags = ["attainment", "ttft_p99", "itl_p99", "tpot_p99", "queue_p99", "success"];
        let place = tags.iter().position(|known| *known == tag)?;
        Some(Self::ALL[place])
    }

    /// Its English name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Attainment => "Attainment",
            Self::TtftP99 => "TTFT P99",
            Self::ItlP99 => "ITL P99",
            Self::TpotP99 => "TPOT P99",
            Self::QueueP99 => "Queue P99",
            Self::Success => "Success",
        }
    }
}

/// How evidence becomes a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictMode {
    /// One-sided confidence bounds, corrected for dependence.
    #[default]
    Confidence,
    /// The point estimate alone, as a plain reading would: shown, labelled, never signable.
    Point,
}

/// Who must sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Ran the measurement.
    MeasuredBy,
    /// Checked it.
    ReviewedBy,
    /// Answers for it.
    ApprovedBy,
}

impl Role {
    /// Every role, in the order of signing.
    pub const ALL: [Self; 3] = [Self::MeasuredBy, Self::ReviewedBy, Self::ApprovedBy];

    /// Its name in promise sheets, trusted keys and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MeasuredBy => "measured-by",
            Self::ReviewedBy => "reviewed-by",
            Self::ApprovedBy => "approved-by",
        }
    }

    /// The role of a name.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }
}

/// What was promised. Read from TOML or JSON; reading validates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Fields", into = "Fields")]
pub struct PromiseSheet(Fields);

/// The fields of a promise sheet, before they are checked against each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fields {
    /// Name of the sheet, such as `agent-coding-interactive`.
    pub name: String,
    /// What the limits are and where they come from, for the report.
    #[serde(default)]
    pub note: String,
    /// ITL limit, for the request's rule and for the tier's ITL P99.
    #[serde(rename = "itl_ms", with = "millis")]
    pub itl: Nanos,
    /// The request's ITL rule.
    pub itl_rule: ItlRule,
    /// Queue P99 limit (<).
    #[serde(rename = "queue_ms", with = "millis")]
    pub queue: Nanos,
    /// Success target, such as 0.9995.
    pub success: Target,
    /// Attainment target of every tier, such as 0.99.
    pub attainment: Target,
    /// One-sided confidence of every bound.
    #[serde(default = "default_confidence")]
    pub confidence: Share,
    /// How evidence becomes a verdict.
    #[serde(default)]
    pub mode: VerdictMode,
    /// The promises that are only shown. All others are signed.
    #[serde(default)]
    pub watched: Vec<PromiseKind>,
    /// Who must sign, each with a key of its own.
    #[serde(default = "default_roles")]
    pub sign_off: Vec<Role>,
    /// Disjoint tiers in ascending order that cover the promised range without a hole.
    pub tiers: Vec<Tier>,
}

fn default_confidence() -> Share {
    Share::new(0.95).expect("0.95 is a share")
}

fn default_roles() -> Vec<Role> {
    vec![Role::MeasuredBy, Role::ApprovedBy]
}

/// Why a promise sheet cannot be judged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PromiseError {
    /// Outside (0, 1].
    #[error("a target must lie in (0, 1], such as 0.99, not be {value}")]
    Target {
        /// What was given.
        value: f64,
    },
    /// Not a quantile that records keep.
    #[error("the gap_share rule's q must be 0.99 or 0.95, which request records keep, not {value}")]
    GapQuantile {
        /// What was given.
        value: f64,
    },
    /// No tier at all.
    #[error("a promise sheet needs at least one tier")]
    NoTiers,
    /// Upside down.
    #[error("tier `{tier}` ends (isl_max {max}) before it starts (isl_min {min})")]
    EmptyTier {
        /// The tier's name.
        tier: String,
        /// Its isl_min.
        min: u32,
        /// Its isl_max.
        max: u32,
    },
    /// Tiers overlap or leave a hole.
    #[error(
        "tier `{tier}` must start at isl_min {expected}, right after the tier before it, \
         not at {found}: tiers are disjoint and leave no hole"
    )]
    TierBorder {
        /// The tier's name.
        tier: String,
        /// Where it must start.
        expected: u64,
        /// Where it starts.
        found: u32,
    },
    /// Two tiers of one name.
    #[error("two tiers are named `{tier}`")]
    DuplicateTier {
        /// The name.
        tier: String,
    },
    /// Bounds of no confidence, or of certainty.
    #[error("confidence must lie strictly between 0.5 and 1, such as 0.95, not be {value}")]
    Confidence {
        /// What was given.
        value: f64,
    },
}

impl TryFrom<Fields> for PromiseSheet {
    type Error = PromiseError;

    fn try_from(fields: Fields) -> Result<Self, PromiseError> {
        let mut expected = fields.tiers.first().ok_or(PromiseError::NoTiers)?.isl_min.into();
        let mut names = std::collections::BTreeSet::new();
        for tier in &fields.tiers {
            let name = || tier.name.clone();
            if tier.isl_max < tier.isl_min {
                let (min, max) = (tier.isl_min, tier.isl_max);
                return Err(PromiseError::EmptyTier { tier: name(), min, max });
            }
            if u64::from(tier.isl_min) != expected {
                let found = tier.isl_min;
                return Err(PromiseError::TierBorder { tier: name(), expected, found });
            }
            if !names.insert(&tier.name) {
                return Err(PromiseError::DuplicateTier { tier: name() });
            }
            expected = u64::from(tier.isl_max) + 1;
        }
        let value = fields.confidence.get();
        if value <= 0.5 || value >= 1.0 {
            return Err(PromiseError::Confidence { value });
        }
        Ok(Self(fields))
    }
}

impl From<PromiseSheet> for Fields {
    fn from(sheet: PromiseSheet) -> Self {
        sheet.0
    }
}

impl std::ops::Deref for PromiseSheet {
    type Target = Fields;
    fn deref(&self) -> &Fields {
        &self.0
    }
}

impl PromiseSheet {
    /// The tier of a prompt length; `None` for an unknown one or one outside the promised range,
    /// which makes the request `Unpromised`.
    #[must_use]
    pub fn tier_of(&self, isl: Option<u32>) -> Option<usize> {
        let isl = isl?;
        let at = self.tiers.partition_point(|tier| tier.isl_max < isl);
        (self.tiers.get(at)?.isl_min <= isl).then_some(at)
    }

    /// The tier of a prompt length, as [`Self::tier_of`] finds it.
    #[must_use]
    pub fn tier(&self, isl: Option<u32>) -> Option<&Tier> {
        self.tiers.get(self.tier_of(isl)?)
    }

    /// Whether a promise decides λ_slo_max, rather than only being shown.
    #[must_use]
    pub fn is_signed(&self, kind: PromiseKind) -> bool {
        !self.watched.contains(&kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet(tiers: &str) -> Result<PromiseSheet, serde_json::Error> {
        serde_json::from_str(&format!(
            r#"{{"name":"t","itl_ms":100,"itl_rule":{{"rule":"gap_share","q":0.99,"stall_ms":1000}},
                "queue_ms":300,"success":0.9995,"attainment":0.99,"tiers":{tiers}}}"#
        ))
    }

    #[test]
    fn tiers_are_inclusive_disjoint_and_without_holes() {
        let tier = |name: &str, min: u32, max: u32| {
            format!(
                r#"{{"name":"{name}","isl_min":{min},"isl_max":{max},"ttft_ms":500,"tpot_ms":40}}"#
            )
        };
        let good = sheet(&format!("[{},{}]", tier("S", 1, 1000), tier("L", 1001, 2000)));
        let good = good.expect("valid");
        assert_eq!(good.tier_of(Some(1)), Some(0));
        assert_eq!(good.tier_of(Some(1000)), Some(0));
        assert_eq!(good.tier_of(Some(1001)), Some(1));
        assert_eq!(good.tier_of(Some(0)), None);
        assert_eq!(good.tier_of(Some(2001)), None);
        assert_eq!(good.tier_of(None), None);
        for bad in [
            "[]".to_owned(),
            format!("[{},{}]", tier("S", 1, 1000), tier("L", 1000, 2000)),
            format!("[{},{}]", tier("S", 1, 1000), tier("L", 1002, 2000)),
            format!("[{},{}]", tier("S", 1, 1000), tier("S", 1001, 2000)),
            format!("[{}]", tier("S", 10, 1)),
        ] {
            assert!(sheet(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn targets_compare_as_integers() {
        let success = Target::try_from(0.9995).expect("valid");
        assert!(success.reached_by(9_995, 10_000));
        assert!(!success.reached_by(9_994, 10_000));
        assert!(!success.reached_by(0, 0));
        assert_eq!(success.allowed_bad(10_000), 5);
        assert_eq!(success.allowed_bad(9_999), 4);
    }
}
