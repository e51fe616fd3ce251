//! Every plausible misreading, by name.

macro_rules! mutants {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A plausible misreading.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Mutant { $($(#[$doc])* $name,)* }
        impl Mutant {
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)*];
        }
    };
}

mutants! {
    /// A TTFT equal to its limit does not comply.
    TtftBelowLimit,
    /// TTFT from the intended instant.
    TtftFromIntended,
    /// A gap equal to the limit is bad.
    GapBelowLimit,
    /// ⌈(1−q)m⌉ bad gaps are allowed.
    BadGapsRoundedUp,
    /// The stall limit is forgotten.
    StallForgotten,
    /// A stall equal to its limit is one.
    StallBelowLimit,
    /// The rule is the mean, as in tools that call TPOT "ITL".
    GapsByMean,
    /// The rule is the worst gap.
    GapsByWorst,
    /// A request without gaps does not comply.
    NoGapsFail,
    /// TPOT at its limit breaks it.
    TpotBelowLimit,
    /// TPOT divides by OSL.
    TpotOverAllTokens,
    /// TPOT counts from sending.
    TpotFromSending,
    /// A one-token answer has TPOT 0.
    TpotOfOneTokenIsZero,
    /// TPOT takes part in compliance.
    TpotDecidesCompliance,
    /// Queue time takes part in compliance.
    QueueDecidesCompliance,
    /// A queue time equal to the limit keeps the strict promise.
    QueueAtMostLimit,
    /// A gap equal to the limit keeps the strict promise on the set.
    ItlP99AtMostLimit,
    /// An unknown queue time is 0.
    UnknownQueueIsZero,
    /// Members by their end.
    CohortByEnd,
    /// Members by their intended instant.
    CohortByIntended,
    /// Members by their first token.
    CohortByFirstToken,
    /// The window includes W1.
    WindowIncludesItsEnd,
    /// The window excludes W0.
    WindowExcludesItsStart,
    /// Only requests that also ended in the window.
    WindowDropsTheTail,
    /// Wall time over completed requests.
    WallOverCompleted,
    /// Wall time over valid requests.
    WallOverValid,
    /// Wall time is the window.
    WallIsTheWindow,
    /// One-token answers are no answers.
    OneTokenAnswersDropped,
    /// Failed requests are left out.
    FailuresDropped,
    /// Requests that never had a first token are left out of TTFT.
    NeverIsLeftOut,
    /// A failed request's TTFT is +∞ even if it had one.
    FailedTtftIsInfinite,
    /// A failed request complies if it was fast.
    FailedMayComply,
    /// Cancelled requests are valid, and bad.
    CancelledCounted,
    /// Cancelled requests are valid, and good if they were fast.
    CancelledMayComply,
    /// The plan's faults are failures.
    ClientFaultsCounted,
    /// Percentiles take the ⌊pn⌋-th value.
    FloorRank,
    /// Percentiles interpolate.
    LinearPercentiles,
    /// Percentiles take the value after ⌊pn⌋.
    RankOfTheNext,
    /// Output events are counted for tokens.
    ChunksForTokens,
    /// Bounds are two-sided.
    TwoSidedBounds,
    /// Bounds are Wald's.
    WaldBounds,
    /// Unknown caching is 0.
    UnknownCachedIsZero,
    /// Unknown ISL falls into the first tier.
    UnknownIslIsShort,
    /// Prompts above the last tier belong to it.
    LongPromptsInTheLastTier,
    /// A tier ends before its isl_max.
    TierExcludesItsEnd,
    /// Partial output of failed requests is no raw throughput.
    RawIsCompletedOnly,
    /// Partial output of failed requests is output.
    OutputCountsPartial,
    /// Goodput is all completed output.
    GoodputIsCompleted,
    /// Goodput over the window.
    GoodputOverTheWindow,
    /// Input of completed requests only.
    InputOfCompleted,
    /// Input of every member.
    InputOfEveryMember,
    /// Input of compliant requests only is shown as the input.
    InputOfCompliant,
    /// The overall attainment is the verdict.
    OverallAttainmentDecides,
    /// A tier without requests is held.
    EmptyTierIsHeld,
    /// bad/n ≤ 1 − target in floating point.
    TargetsInFloatingPoint,
    /// A share equal to its target misses it.
    TargetMustBeExceeded,
    /// Unpromised requests are no failures of success either.
    UnpromisedLeaveSuccess,
    /// Concurrency over the window.
    ConcurrencyOverTheWindow,
}
