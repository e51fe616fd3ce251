//! The judge on made-up steps: validity, verdicts, telemetry, soak, capacity, money, quotes.

mod build;
mod capacity;
mod glossary;
mod glossary_runs;
mod hostile;
mod invariants;
mod misreadings;
mod money;
mod quote;
mod soak;
mod telemetry;
mod validity;
mod verdicts;
