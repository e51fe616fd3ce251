//! Histograms of nanoseconds that grow with what is recorded.

use hdrhistogram::Histogram;

/// A histogram of nanoseconds that grows as it must.
pub(crate) fn histogram(digits: u8) -> Histogram<u64> {
    let mut histogram = Histogram::new(digits).expect("1 to 5 digits are accepted");
    histogram.auto(true);
    histogram
}

/// Records a value in a histogram that grows as it must. (`saturating_record` would not let it
/// grow, and record its highest value instead.)
pub(crate) fn record(histogram: &mut Histogram<u64>, value: u64) {
    record_n(histogram, value, 1);
}

/// Records a value so many times.
pub(crate) fn record_n(histogram: &mut Histogram<u64>, value: u64, times: u64) {
    histogram.record_n(value, times).expect("a growing histogram holds every value");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_grows_with_what_is_recorded() {
        let mut histogram = histogram(3);
        for value in [0, 1, 12_345_678, u64::MAX / 2] {
            record(&mut histogram, value);
        }
        assert!(histogram.equivalent(histogram.value_at_quantile(0.75), 12_345_678));
        assert!(histogram.equivalent(histogram.max(), u64::MAX / 2));
    }
}
