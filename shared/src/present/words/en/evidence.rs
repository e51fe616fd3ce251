//! What figures rest on, in English.

use crate::present::words::Evidencing;

/// How each figure is computed.
pub(super) const EVIDENCE: Evidencing = Evidencing {
    compliant_tokens: "Output tokens of compliant requests",
    blended: "All revenue for each million output tokens",
    seed: "Seed",
    records: "Raw records",
    price_sheet: "Price sheet",
    lambda: "The highest tested arrival rate whose step is valid, at which every signed \
        promise is held, and below which no tested rate is broken. The limit lies between it \
        and the first broken rate.",
    goodput: "Output tokens of the compliant requests ÷ wall time, at λ_slo_max.",
    goodput_per_gpu: "SLO goodput ÷ GPUs serving.",
    daily: "Goodput/GPU × GPUs × 86,400 s.",
    steps_per_day: "Daily capacity ÷ mean output tokens of a step.",
    tasks_per_day: "Steps a day ÷ steps of a task.",
    attainment: "Compliant requests ÷ valid requests of the tier that has the least.",
    goodput_per_watt: "SLO goodput ÷ mean GPU power in the window.",
    cost: "GPU price × GPUs provisioned ÷ 3,600 s ÷ SLO goodput × 10⁶. Work that failed or \
        broke its promise is thereby charged to the tokens that kept theirs.",
    price: "What the price sheet sells a million output tokens for.",
    value: "Output, uncached input and cached input of the compliant requests × their \
        prices ÷ wall time × 86,400 s.",
    margin: "Daily value at price − cost of the GPUs provisioned for a day.",
};
