//! What is being measured while the page is open: progress, the promised latencies so far, and the
//! steps that have ended.

use maud::{Markup, html};
use tokencap_shared::bundle::live::{Done, Live, Now, Phase};
use tokencap_shared::definitions::judge::Verdict;
use tokencap_shared::present::document::cell::{Cell, Limit, Number, Tone};
use tokencap_shared::present::document::table::{Column, Id, Table};
use tokencap_shared::present::document::{Fact, verdict_and_screen};
use tokencap_shared::present::format;
use tokencap_shared::present::render::html as shared_html;
use tokencap_shared::present::report::PromiseOfTier;
use tokencap_shared::present::words::{Lang, Words};
use tokencap_shared::units::{Nanos, Rate};

use crate::bench::Bench;
use crate::text::{self, Text};

/// The section, from the server's news; `None`: it cannot be reached.
pub(crate) fn section(bench: &mut Bench, news: Option<Vec<Live>>, lang: Lang) -> Markup {
    let (words, text) = (lang.words(), text::of(lang));
    let lost = news.is_none();
    if let Some(now) = news {
        bench.measuring(now);
    }
    html! {
        @if !bench.live.is_empty() || !bench.ended.is_empty() {
            section data-testid="measuring" {
                h1 { (text.measuring) }
                @if lost { p.problem role="alert" { (text.server_lost) } }
                @for live in &bench.live { (campaign(live, words, text)) }
                @for name in &bench.ended {
                    p data-testid="measured" { (name) (words.say.colon) (text.measured_to_the_end) }
                }
            }
        }
    }
}

fn campaign(live: &Live, words: &Words, text: &Text) -> Markup {
    html! {
        h2 { (live.model) " · " (live.promise) " " small { (live.bundle) } }
        @if live.stalled { p.problem role="alert" { (text.stalled) } }
        @else if let Some(now) = &live.now { (running(now, words, text)) }
        @else { p { (text.between_steps) } }
        @if !live.done.is_empty() {
            (shared_html::table(&done(&live.done, words), "measured-steps", words))
            p.quiet { (text.steps_are_saved) }
        }
    }
}

fn running(now: &Now, words: &Words, text: &Text) -> Markup {
    let load = match (now.rate, now.users) {
        (Some(rate), _) => req_per_s(rate),
        (None, users) => (text.closed_loop)(users.unwrap_or(0)),
    };
    let phase = match now.phase {
        Phase::WarmUp => text.warm_up,
        Phase::Window => words.term.window,
        Phase::Tail => text.tail,
    };
    let place = (text.step_of)(now.index + 1, now.of);
    let share = now.elapsed.0 as f64 / (now.length.0 as f64).max(1.0);
    let mut facts = vec![
        Fact::text("kind", words.term.step_kind, (words.step_kind)(now.kind)),
        Fact::text("phase", text.phase, phase),
        Fact::text("elapsed", text.elapsed, (text.time_of)(&span(now.elapsed), &span(now.length))),
    ];
    if let Some(left) = now.left {
        let about = format::about(left.0 as f64 / 1e9);
        facts.push(Fact::text("left", text.left, about));
    }
    let counts = [
        ("in-flight", text.in_flight, now.in_flight),
        ("completed", words.term.completed, now.completed),
        ("failures", words.term.failures, now.failed),
        ("tokens", text.tokens, now.tokens),
    ];
    facts.extend(counts.map(|(name, label, count)| Fact::new(name, label, Number::count(count))));
    if let Some(screen) = now.screen {
        let verdict = (words.verdict)(screen);
        let said = match now.unsustainable {
            true => format!("{verdict}{}{}", words.say.colon, words.say.unsustainable),
            false => verdict.to_owned(),
        };
        facts.push(Fact::text("so-far", text.so_far, said));
    }
    html! {
        p { strong { (place) } " · " (load) " "
            progress max="1" value=(format!("{:.4}", share.min(1.0))) aria-label=(place) {} }
        (shared_html::facts(&facts, "live-facts", words))
        @if !now.tails.is_empty() { (shared_html::table(&tails(now, words, text), "live-tails", words)) }
    }
}

/// Each promised latency beside its limit.
fn tails(now: &Now, words: &Words, text: &Text) -> Table {
    let columns = vec![
        Column::text("promise", words.term.promise),
        Column::number("promised", words.term.promised, "ms"),
        Column::number("measured", words.term.measured, "ms"),
    ];
    let rows = now.tails.iter().map(|tail| {
        let promise = PromiseOfTier { kind: tail.kind, tier: tail.tier.clone() };
        let decimals =
            tail.measured.map_or(0, |measured| format::millis_apart(measured, tail.limit));
        let limit = Number::millis(Some(tail.limit), decimals).limit(Limit::AtMost);
        let measured = Cell::from(Number::millis(tail.measured, decimals));
        let measured = match tail.ratio() > 1.0 {
            true => measured.with_tone(Tone::Bad).with_note((words.verdict)(Verdict::Broken)),
            false => measured.with_tone(Tone::Good),
        };
        vec![Cell::new(words.promise_of_tier(&promise)), limit.into(), measured]
    });
    let ids = (0..).map(|at| Id::nth("tail", at));
    Table::new(text.tails, columns, ids.zip(rows))
}

fn done(steps: &[Done], words: &Words) -> Table {
    let terms = &words.term;
    let columns = vec![
        Column::number("step", terms.step, ""),
        Column::text("kind", terms.step_kind),
        Column::number("offered", terms.offered, "req/s"),
        Column::number("compliant", terms.compliant, ""),
        Column::number("valid", terms.valid, ""),
        Column::text("verdict", terms.verdict),
    ];
    let decimals = format::column_decimals(steps.iter().map(|step| step.offered));
    let rows = steps.iter().zip(0..).map(|(step, id)| {
        let verdict = match step.valid {
            true if step.unsustainable => verdict_and_screen(step.verdict, step.screen, words)
                .with_note(words.say.unsustainable),
            true => verdict_and_screen(step.verdict, step.screen, words),
            false => Cell::new(words.say.invalid).with_tone(Tone::Muted),
        };
        let cells = vec![
            Number::count(u64::from(id)).into(),
            Cell::new((words.step_kind)(step.kind)),
            Number::fixed(step.offered, decimals).into(),
            Number::count(step.compliant).into(),
            Number::count(step.requests).into(),
            verdict,
        ];
        (Id::nth("step", id), cells)
    });
    Table::new(words.title.steps, columns, rows)
}

fn req_per_s(rate: Rate) -> String {
    format!("{} {}", format::plain(rate), Rate::UNIT)
}

fn span(time: Nanos) -> String {
    format::span(time.0 as f64 / 1e9)
}
