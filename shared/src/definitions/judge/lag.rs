//! How late the client may send.

use crate::definitions::promise::PromiseSheet;
use crate::units::Nanos;

/// Send lag P99 may be this, or 1 % of the tightest TTFT limit if that is less.
const LAG_P99: Nanos = Nanos::from_millis(10);
/// Send lag may never be more than this, or the step is INVALID.
pub const LAG_MAX: Nanos = Nanos::from_millis(100);

/// Limit on the send lag's P99.
pub(crate) fn lag_limit(sheet: &PromiseSheet) -> Nanos {
    let tightest = sheet.tiers.iter().map(|tier| tier.ttft.0).min().unwrap_or(u64::MAX);
    LAG_P99.min(Nanos(tightest / 100))
}
