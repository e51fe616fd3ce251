//! What a figure rests on: its formula, the numbers that went into it, the window they were
//! measured in, how many requests there were, and the digest of the records.

mod money;

use serde::Serialize;

use crate::bundle::Manifest;
use crate::definitions::capacity::AtLambda;
use crate::definitions::judge::StepJudgement;
use crate::present::document::cell::{Cell, Limit, Number};
use crate::present::document::{Fact, Figure};
use crate::present::format::{plain, short_id, span};
use crate::present::report::{Report, Row};
use crate::present::words::Words;
use crate::units::TokenRate;

/// What a figure rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Evidence {
    /// Which figure.
    pub figure: &'static str,
    /// What it is, in words.
    pub title: String,
    /// The figure, with more digits than any table shows.
    pub value: Cell,
    /// How it is computed, in words.
    pub formula: &'static str,
    /// The same with its numbers; empty where it is no arithmetic.
    pub arithmetic: String,
    /// The numbers that went into it.
    pub inputs: Vec<Fact>,
    /// Where and on what they were measured.
    pub context: Vec<Fact>,
}

/// The evidence of a figure of a row; `None` where there is no such figure. `manifest` is that of
/// the row's bundle.
#[must_use]
pub fn of(
    figure: Figure,
    report: &Report,
    row: &Row,
    manifest: &Manifest,
    words: &Words,
) -> Option<Evidence> {
    let maker = Maker { report, row, manifest, words, step: row.shown_step()? };
    let at = row.capacity.at.value()?;
    let mut evidence = match figure {
        Figure::Lambda => maker.lambda(),
        Figure::Goodput => maker.goodput(at),
        Figure::GoodputPerGpu => maker.goodput_per_gpu(at),
        Figure::Daily => maker.daily(at),
        Figure::StepsPerDay => maker.steps_per_day(at),
        Figure::TasksPerDay => maker.tasks_per_day(at),
        Figure::WorstAttainment => maker.worst_attainment(),
        Figure::GoodputPerWatt => maker.goodput_per_watt(at),
        Figure::Cost | Figure::Price | Figure::Value | Figure::Margin => maker.money(figure, at),
    }?;
    evidence.context = maker.context();
    Some(evidence)
}

struct Maker<'a> {
    report: &'a Report,
    row: &'a Row,
    manifest: &'a Manifest,
    words: &'a Words,
    step: &'a StepJudgement,
}

impl Maker<'_> {
    /// Evidence without its context.
    fn evidence(
        figure: Figure,
        title: &str,
        value: Cell,
        formula: &'static str,
        arithmetic: String,
        inputs: Vec<Fact>,
    ) -> Evidence {
        let title = title.to_owned();
        let context = Vec::new();
        Evidence { figure: figure.name(), title, value, formula, arithmetic, inputs, context }
    }

    /// A number with its unit, as text.
    fn text(&self, cell: &Cell) -> String {
        cell.text_with_unit(self.words.lang)
    }

    fn lambda(&self) -> Option<Evidence> {
        let words = self.words;
        let lambda = self.row.capacity.lambda.value()?;
        let mut steps: Vec<&StepJudgement> = self.row.capacity.steps.iter().collect();
        steps.sort_by(|left, right| left.offered.get().total_cmp(&right.offered.get()));
        let verdict = |step: &StepJudgement| match step.validity.is_valid() {
            true => (words.verdict)(step.verdict),
            false => words.say.invalid,
        };
        let rate = |rate: f64| format!("{} req/s", plain(rate));
        let inputs = steps
            .into_iter()
            .map(|step| Fact::text("step", &rate(step.offered.get()), verdict(step)));
        let bracket = match lambda.first_broken {
            Some(broken) => (words.say.bracket)(&rate(lambda.rate.get()), &rate(broken.get())),
            None => (words.say.no_upper_end)(&plain(lambda.rate)),
        };
        Some(Self::evidence(
            Figure::Lambda,
            words.term.lambda,
            Cell::from(Number::plain(lambda.rate)).in_unit("req/s"),
            words.evidence.lambda,
            bracket,
            inputs.collect(),
        ))
    }

    fn goodput(&self, at: &AtLambda) -> Option<Evidence> {
        let (words, terms) = (self.words, &self.words.term);
        let wall = Cell::from(Number::fixed(*self.step.wall.value()?, 3)).in_unit("s");
        let tokens = Number::count(self.step.flow.compliant_tokens);
        let tokens = Cell::from(tokens).in_unit("tok");
        let value = rate(at.goodput);
        let steady = &self.step.flow.goodput_steady;
        let steady = Cell::measured(steady, words, |flow| rate(*flow)).in_unit(TokenRate::UNIT);
        let arithmetic =
            format!("{} ÷ {} = {}", self.text(&tokens), self.text(&wall), self.text(&value));
        Some(Self::evidence(
            Figure::Goodput,
            terms.goodput,
            value,
            words.evidence.goodput,
            arithmetic,
            vec![
                Fact::new("compliant-tokens", words.evidence.compliant_tokens, tokens),
                Fact::new("wall", terms.wall, wall),
                Fact::new("raw", terms.raw, rate(at.raw)),
                Fact::new("goodput-steady", terms.goodput_steady, steady),
            ],
        ))
    }

    fn goodput_per_gpu(&self, at: &AtLambda) -> Option<Evidence> {
        let terms = &self.words.term;
        let value = Cell::from(exact(at.goodput_per_gpu.value()?.get())).in_unit("tok/s/GPU");
        let (goodput, gpus) = (rate(at.goodput), self.row.deployment.gpus_serving);
        let arithmetic = format!("{} ÷ {gpus} = {}", self.text(&goodput), self.text(&value));
        Some(Self::evidence(
            Figure::GoodputPerGpu,
            terms.goodput_per_gpu,
            value,
            self.words.evidence.goodput_per_gpu,
            arithmetic,
            vec![
                Fact::new("goodput", terms.goodput, goodput),
                Fact::text("gpus-serving", terms.gpus_serving, self.gpus(gpus)),
            ],
        ))
    }

    fn daily(&self, at: &AtLambda) -> Option<Evidence> {
        let (words, terms) = (self.words, &self.words.term);
        let per_gpu = Cell::from(exact(at.goodput_per_gpu.value()?.get()));
        let gpus = self.row.deployment.gpus_serving;
        let value = whole(at.daily, "tok/day");
        let arithmetic =
            format!("{} × {gpus} × 86,400 = {}", self.text(&per_gpu), self.text(&value));
        Some(Self::evidence(
            Figure::Daily,
            terms.daily,
            value,
            words.evidence.daily,
            arithmetic,
            vec![
                Fact::new("goodput-per-gpu", terms.goodput_per_gpu, per_gpu.in_unit("tok/s/GPU")),
                Fact::text("gpus-serving", terms.gpus_serving, self.gpus(gpus)),
                Fact::text("standing", terms.standing, (words.standing)(at.standing)),
                Fact::text("remark", terms.remark, words.say.flat_day),
            ],
        ))
    }

    fn steps_per_day(&self, at: &AtLambda) -> Option<Evidence> {
        let (words, terms) = (self.words, &self.words.term);
        let value = whole(*at.steps_per_day.value()?, "");
        let osl = Cell::from(exact(at.mean_osl.value()?.get()));
        let daily = whole(at.daily, "");
        let texts = [&daily, &osl, &value].map(|cell| cell.text(words.lang));
        let arithmetic = format!("{} ÷ {} = {}", texts[0], texts[1], texts[2]);
        Some(Self::evidence(
            Figure::StepsPerDay,
            terms.steps_per_day,
            value,
            words.evidence.steps_per_day,
            arithmetic,
            vec![
                Fact::new("daily", terms.daily, daily.in_unit("tok/day")),
                Fact::new("mean-osl", terms.mean_osl, osl.in_unit("tok")),
                Fact::text("remark", terms.remark, words.say.flat_day),
            ],
        ))
    }

    fn tasks_per_day(&self, at: &AtLambda) -> Option<Evidence> {
        let terms = &self.words.term;
        let per_task = self.row.steps_per_task?;
        let steps = whole(*at.steps_per_day.value()?, "");
        let value = whole(self.row.tasks_per_day()?, "");
        let arithmetic = format!("{} ÷ {per_task} = {}", self.text(&steps), self.text(&value));
        Some(Self::evidence(
            Figure::TasksPerDay,
            terms.tasks_per_day,
            value,
            self.words.evidence.tasks_per_day,
            arithmetic,
            vec![
                Fact::new("steps-per-day", terms.steps_per_day, steps),
                Fact::text("workload", terms.workload, &*self.row.workload.name),
            ],
        ))
    }

    /// The tier with the least attainment, with the bounds of its true share.
    fn worst_attainment(&self) -> Option<Evidence> {
        let (words, terms) = (self.words, &self.words.term);
        let &(promise, share) = self.step.worst_tier().value()?;
        let evidence = promise.evidence.value()?;
        let tier = promise.tier.and_then(|tier| self.row.promise.tiers.get(tier));
        let per_cent = |number: Number| Cell::from(number).in_unit("%");
        let value = per_cent(Number::percent(share, 3));
        let (good, n) = (Number::count(evidence.good), Number::count(evidence.n));
        let lang = words.lang;
        let arithmetic = format!("{} ÷ {} = {}", good.text(lang), n.text(lang), self.text(&value));
        let bounds =
            Cell::range(Number::percent(evidence.lower, 3), Number::percent(evidence.upper, 3));
        let target = Number::percent(evidence.target, 2).limit(Limit::AtLeast);
        Some(Self::evidence(
            Figure::WorstAttainment,
            terms.worst_attainment,
            value,
            words.evidence.attainment,
            arithmetic,
            vec![
                Fact::text("tier", terms.tier, tier.map_or("", |tier| &tier.name)),
                Fact::new("compliant", terms.compliant, good),
                Fact::new("valid", terms.valid, n),
                Fact::new("bounds", terms.bounds, bounds.in_unit("%")),
                Fact::new("promised", terms.promised, per_cent(target)),
                Fact::new("vif", terms.vif, Number::fixed(evidence.vif, 2)),
                Fact::new("episodes", terms.episodes, Number::count(evidence.episodes)),
            ],
        ))
    }

    fn goodput_per_watt(&self, at: &AtLambda) -> Option<Evidence> {
        let terms = &self.words.term;
        let value = Cell::from(Number::plain(*at.goodput_per_watt.value()?)).in_unit("tok/J");
        let power = Cell::from(exact(self.step.power.value()?.get())).in_unit("W");
        let goodput = rate(at.goodput);
        let arithmetic =
            format!("{} ÷ {} = {}", self.text(&goodput), self.text(&power), self.text(&value));
        Some(Self::evidence(
            Figure::GoodputPerWatt,
            terms.goodput_per_watt,
            value,
            self.words.evidence.goodput_per_watt,
            arithmetic,
            vec![
                Fact::new("goodput", terms.goodput, goodput),
                Fact::new("power", terms.power, power),
            ],
        ))
    }

    /// Where all of it was measured.
    fn context(&self) -> Vec<Fact> {
        let (words, step) = (self.words, self.step);
        let (terms, counts) = (&words.term, &step.counts);
        let declared = self.manifest.steps.iter().find(|declared| declared.id == step.step);
        let name = (words.say.step_no)(step.step);
        let offered = Cell::from(Number::plain(step.offered)).in_unit("req/s");
        let step_kind = (words.say.aside)(&name, (words.step_kind)(step.kind));
        let mut facts = vec![
            Fact::text("step", terms.step, step_kind),
            Fact::new("offered", terms.offered, offered),
            Fact::text("window", terms.window, span(step.window)),
            Fact::new("members", terms.members, Number::count(counts.members)),
            Fact::new("valid", terms.valid, Number::count(counts.valid)),
            Fact::new("compliant", terms.compliant, Number::count(counts.compliant)),
        ];
        let seed = declared.map(|step| step.seed.to_string());
        facts.extend(seed.map(|seed| Fact::text("seed", words.evidence.seed, seed)));
        facts.push(Fact::text("promise", terms.promise, &*self.row.promise.name));
        facts.push(Fact::text("run", terms.run, short_id(&self.row.run)));
        let digest = self.manifest.members.get("requests.parquet");
        let digest = digest.map(|digest| format!("SHA-256 {digest}"));
        facts.extend(digest.map(|of| Fact::text("records", words.evidence.records, of)));
        let definitions = (words.say.definitions)(self.row.definitions);
        facts.push(Fact::text("definitions", terms.definitions, definitions));
        facts.push(Fact::text("tool", terms.tool, &*self.row.tool));
        facts
    }

    fn gpus(&self, gpus: u32) -> String {
        (self.words.say.gpus)(gpus, &self.row.deployment.gpu)
    }
}

/// A figure with more digits than any table shows, so that a reader can check the arithmetic.
fn exact(value: f64) -> Number {
    Number::fixed(value, if value.abs() < 100.0 { 4 } else { 2 })
}

fn rate(rate: TokenRate) -> Cell {
    Cell::from(exact(rate.get())).in_unit(TokenRate::UNIT)
}

fn whole(value: impl Into<f64>, unit: &'static str) -> Cell {
    Cell::from(Number::fixed(value, 0)).in_unit(unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definitions::money::PriceSheet;
    use crate::definitions::workload::Shape;
    use crate::fixture;
    use crate::present::document::cell::Value;
    use crate::present::report::{Entry, SignOff};
    use crate::present::words::{EN, ZH};

    fn prices() -> PriceSheet {
        serde_json::from_value(serde_json::json!({
            "name": "p", "currency": "USD", "date": "2026-11-29",
            "gpu_hour": {"price": 3.99, "source": "a"}, "output": {"price": 4.0, "source": "b"},
            "input_uncached": {"price": 0.95, "source": "c"},
            "input_cached": {"price": 0.1875, "source": "d"},
        }))
        .unwrap()
    }

    fn report() -> (Report, Manifest) {
        let mut bundle = fixture::bundle();
        bundle.manifest.members.insert("requests.parquet".to_owned(), "ab".repeat(32));
        let entry = Entry::judged("toy".to_owned(), &bundle, None, SignOff::Unsigned);
        let mut report = Report::new(vec![entry], Some(prices()));
        report.rows[0].steps_per_task = Some(10);
        (report, bundle.manifest)
    }

    fn amount(cell: &Cell) -> f64 {
        match cell.value {
            Value::Number(number) => number.amount.finite().unwrap(),
            _ => panic!("{cell:?} is no number"),
        }
    }

    #[test]
    fn every_figure_has_evidence_in_both_languages() {
        let (report, manifest) = report();
        for (figure, words) in Figure::ALL.into_iter().flat_map(|of| [(of, &EN), (of, &ZH)]) {
            let found = of(figure, &report, &report.rows[0], &manifest, words).unwrap();
            assert_eq!(found.figure, figure.name());
            assert!(!found.formula.is_empty() && !found.inputs.is_empty(), "{found:?}");
            assert!(amount(&found.value) != 0.0);
            let digest = found.context.iter().find(|fact| fact.id.name == "records").unwrap();
            assert!(digest.line(words).contains(&"ab".repeat(32)));
        }
    }

    #[test]
    fn the_inputs_of_a_figure_make_its_value() {
        let (report, manifest) = report();
        let row = &report.rows[0];
        let found = |figure| of(figure, &report, row, &manifest, &EN).unwrap();
        let input = |figure, name: &str| {
            amount(&found(figure).inputs.iter().find(|fact| fact.id.name == name).unwrap().cell)
        };
        let gpus = f64::from(row.deployment.gpus_serving);
        for (figure, computed) in [
            (
                Figure::Goodput,
                input(Figure::Goodput, "compliant-tokens") / input(Figure::Goodput, "wall"),
            ),
            (Figure::GoodputPerGpu, input(Figure::GoodputPerGpu, "goodput") / gpus),
            (Figure::Daily, input(Figure::Daily, "goodput-per-gpu") * gpus * crate::units::DAY),
            (
                Figure::StepsPerDay,
                input(Figure::StepsPerDay, "daily") / input(Figure::StepsPerDay, "mean-osl"),
            ),
            (Figure::TasksPerDay, input(Figure::TasksPerDay, "steps-per-day") / 10.0),
            (
                Figure::WorstAttainment,
                100.0 * input(Figure::WorstAttainment, "compliant")
                    / input(Figure::WorstAttainment, "valid"),
            ),
            (
                Figure::GoodputPerWatt,
                input(Figure::GoodputPerWatt, "goodput") / input(Figure::GoodputPerWatt, "power"),
            ),
            (
                Figure::Cost,
                3.99 * f64::from(row.deployment.gpus_provisioned)
                    / 3_600.0
                    / input(Figure::Cost, "goodput")
                    * 1e6,
            ),
            (
                Figure::Value,
                ["output", "input-uncached", "input-cached"]
                    .map(|part| input(Figure::Value, part))
                    .iter()
                    .sum(),
            ),
            (Figure::Margin, input(Figure::Margin, "value") - input(Figure::Margin, "gpu-cost")),
        ] {
            let value = amount(&found(figure).value);
            assert!((value - computed).abs() <= 1e-9 * value.abs(), "{figure:?}: {computed}");
            let arithmetic = found(figure).arithmetic;
            let shown = found(figure).value.text_with_unit(EN.lang);
            assert!(arithmetic.is_empty() || arithmetic.ends_with(&shown), "{arithmetic}");
        }
    }

    #[test]
    fn a_price_stands_with_all_its_digits_and_its_source() {
        let (report, manifest) = report();
        let found = of(Figure::Cost, &report, &report.rows[0], &manifest, &EN).unwrap();
        let lines: Vec<String> = found.inputs.iter().map(|fact| fact.line(&EN)).collect();
        assert!(lines.contains(&"0.1875 (d)".to_owned()), "{lines:?}");
    }

    #[test]
    fn there_is_no_evidence_of_what_is_not_there() {
        let (report, manifest) = report();
        let mut row = report.rows[0].clone();
        row.steps_per_task = None;
        assert_eq!(of(Figure::TasksPerDay, &report, &row, &manifest, &EN), None);
        let unpriced = report.priced(None);
        assert_eq!(of(Figure::Cost, &unpriced, &unpriced.rows[0], &manifest, &EN), None);
        assert!(matches!(unpriced.rows[0].workload.shape, Shape::Mix { .. }));
    }
}
