//! What a number rests on: its formula, the figures that went into it, the window they were
//! measured in, how many requests there were, and the digest of the records.

use tokencap_shared::bundle::Manifest;
use tokencap_shared::definitions::capacity::AtLambda;
use tokencap_shared::definitions::judge::StepJudgement;
use tokencap_shared::definitions::measured::Measured;
use tokencap_shared::definitions::money::{Economics, PriceSheet};
use tokencap_shared::present::document::Pair;
use tokencap_shared::present::format::{self, count, fixed, percent, plain, span};
use tokencap_shared::present::report::{Report, Row};
use tokencap_shared::units::TokenRate;

use crate::state::prices::Item;
use crate::text::Text;

/// A number that has evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// λ_slo_max.
    Lambda,
    /// SLO goodput.
    Goodput,
    /// SLO goodput by serving GPU.
    GoodputPerGpu,
    /// Daily capacity.
    Daily,
    /// Steps a day.
    StepsPerDay,
    /// Tasks a day.
    TasksPerDay,
    /// Attainment of the worst tier.
    WorstAttainment,
    /// Goodput by watt.
    GoodputPerWatt,
    /// Cost of a million compliant output tokens.
    Cost,
    /// What a million output tokens sell for.
    Price,
    /// What a day of compliant tokens sells for.
    Value,
    /// That, less what the GPUs cost.
    Margin,
}

impl Subject {
    /// Its name in addresses and tests.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Lambda => "lambda",
            Self::Goodput => "goodput",
            Self::GoodputPerGpu => "goodput-per-gpu",
            Self::Daily => "daily",
            Self::StepsPerDay => "steps-per-day",
            Self::TasksPerDay => "tasks-per-day",
            Self::WorstAttainment => "worst-attainment",
            Self::GoodputPerWatt => "goodput-per-watt",
            Self::Cost => "cost",
            Self::Price => "price",
            Self::Value => "value",
            Self::Margin => "margin",
        }
    }

    /// Whether it is derived from prices, and thus covered by no signature.
    pub(crate) const fn is_money(self) -> bool {
        matches!(self, Self::Cost | Self::Price | Self::Value | Self::Margin)
    }
}

/// What a number rests on, in words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Evidence {
    /// What the number is.
    pub(crate) title: String,
    /// The number, as exactly as it is shown anywhere, with its unit.
    pub(crate) value: String,
    /// How it is computed, in words.
    pub(crate) formula: &'static str,
    /// The same with its figures.
    pub(crate) figures: String,
    /// The figures that went into it.
    pub(crate) inputs: Vec<Pair>,
    /// Where and on what they were measured.
    pub(crate) context: Vec<Pair>,
}

/// The evidence of a number of a row; `None` where there is no such number.
pub(crate) fn of(
    subject: Subject,
    report: &Report,
    row: &Row,
    manifest: &Manifest,
    text: Text,
) -> Option<Evidence> {
    let maker = Maker { report, row, manifest, text, step: row.shown_step()? };
    let at = row.capacity.at.value()?;
    let mut evidence = maker.number(subject, at)?;
    evidence.context = maker.context();
    Some(evidence)
}

struct Maker<'a> {
    report: &'a Report,
    row: &'a Row,
    manifest: &'a Manifest,
    text: Text,
    step: &'a StepJudgement,
}

impl Maker<'_> {
    fn number(&self, subject: Subject, at: &AtLambda) -> Option<Evidence> {
        match subject {
            Subject::Lambda => self.lambda(),
            Subject::Goodput => self.goodput(at),
            Subject::GoodputPerGpu => self.goodput_per_gpu(at),
            Subject::Daily => self.daily(at),
            Subject::StepsPerDay => self.steps_per_day(at),
            Subject::TasksPerDay => self.tasks_per_day(at),
            Subject::WorstAttainment => self.worst_attainment(),
            Subject::GoodputPerWatt => self.goodput_per_watt(at),
            Subject::Cost | Subject::Price | Subject::Value | Subject::Margin => {
                let economics = self.row.economics.value()?;
                let prices = self.report.prices.as_ref()?;
                self.money(subject, at, economics, prices)
            }
        }
    }

    fn lambda(&self) -> Option<Evidence> {
        let (terms, formulas) = (&self.text.words.term, &self.text.page.formula);
        let lambda = self.row.capacity.lambda.value()?;
        let mut steps: Vec<&StepJudgement> = self.row.capacity.steps.iter().collect();
        steps.sort_by(|left, right| left.offered.get().total_cmp(&right.offered.get()));
        let verdict = |step: &StepJudgement| match step.validity.is_valid() {
            true => (self.text.words.verdict)(step.verdict),
            false => self.text.words.say.invalid,
        };
        let inputs = steps.into_iter().map(|step| {
            let rate = format!("{} req/s", plain(step.offered));
            (rate, verdict(step).to_owned())
        });
        let broken = lambda.first_broken.map_or_else(
            || (self.text.words.say.no_upper_end)(&plain(lambda.rate)),
            |broken| {
                let rate = |rate: f64| format!("{} req/s", plain(rate));
                (self.text.words.say.bracket)(&rate(lambda.rate.get()), &rate(broken.get()))
            },
        );
        Some(Evidence {
            title: terms.lambda.to_owned(),
            value: format!("{} req/s", plain(lambda.rate)),
            formula: formulas.lambda,
            figures: broken,
            inputs: inputs.collect(),
            ..Evidence::default()
        })
    }

    fn goodput(&self, at: &AtLambda) -> Option<Evidence> {
        let terms = &self.text.words.term;
        let wall = *self.step.wall.value()?;
        let tokens = count(self.step.flow.compliant_tokens);
        let value = rate(at.goodput);
        Some(Evidence {
            title: terms.goodput.to_owned(),
            figures: format!("{tokens} tok ÷ {} s = {value}", fixed(wall, 3)),
            value,
            formula: self.text.page.formula.goodput,
            inputs: vec![
                pair(self.text.page.compliant_tokens, format!("{tokens} tok")),
                pair(terms.wall, format!("{} s", fixed(wall, 3))),
                pair(terms.raw, rate(at.raw)),
                pair(
                    terms.goodput_steady,
                    self.step.flow.goodput_steady.value().map_or_else(missing, |flow| rate(*flow)),
                ),
            ],
            ..Evidence::default()
        })
    }

    fn goodput_per_gpu(&self, at: &AtLambda) -> Option<Evidence> {
        let terms = &self.text.words.term;
        let gpus = self.row.deployment.gpus_serving;
        let value = format!("{} tok/s/GPU", exact(at.goodput_per_gpu.value()?.get()));
        Some(Evidence {
            title: terms.goodput_per_gpu.to_owned(),
            figures: format!("{} ÷ {gpus} = {value}", rate(at.goodput)),
            value,
            formula: self.text.page.formula.goodput_per_gpu,
            inputs: vec![
                pair(terms.goodput, rate(at.goodput)),
                pair(terms.gpus_serving, self.gpus(gpus)),
            ],
            ..Evidence::default()
        })
    }

    fn daily(&self, at: &AtLambda) -> Option<Evidence> {
        let (terms, say) = (&self.text.words.term, &self.text.words.say);
        let per_gpu = at.goodput_per_gpu.value()?;
        let gpus = self.row.deployment.gpus_serving;
        let value = format!("{} tok/day", fixed(at.daily, 0));
        Some(Evidence {
            title: terms.daily.to_owned(),
            figures: format!("{} × {gpus} × 86,400 = {value}", exact(per_gpu.get())),
            value,
            formula: self.text.page.formula.daily,
            inputs: vec![
                pair(terms.goodput_per_gpu, format!("{} tok/s/GPU", exact(per_gpu.get()))),
                pair(terms.gpus_serving, self.gpus(gpus)),
                pair(terms.standing, (self.text.words.standing)(at.standing).to_owned()),
                pair(terms.remark, say.flat_day.to_owned()),
            ],
            ..Evidence::default()
        })
    }

    fn steps_per_day(&self, at: &AtLambda) -> Option<Evidence> {
        let terms = &self.text.words.term;
        let (steps, osl) = (at.steps_per_day.value()?, at.mean_osl.value()?);
        let value = fixed(*steps, 0);
        Some(Evidence {
            title: terms.steps_per_day.to_owned(),
            figures: format!("{} ÷ {} = {value}", fixed(at.daily, 0), exact(osl.get())),
            value,
            formula: self.text.page.formula.steps_per_day,
            inputs: vec![
                pair(terms.daily, format!("{} tok/day", fixed(at.daily, 0))),
                pair(terms.mean_osl, format!("{} tok", exact(osl.get()))),
                pair(terms.remark, self.text.words.say.flat_day.to_owned()),
            ],
            ..Evidence::default()
        })
    }

    fn tasks_per_day(&self, at: &AtLambda) -> Option<Evidence> {
        let terms = &self.text.words.term;
        let per_task = self.row.steps_per_task?;
        let (steps, tasks) = (at.steps_per_day.value()?, self.row.tasks_per_day()?);
        let value = fixed(tasks, 0);
        Some(Evidence {
            title: terms.tasks_per_day.to_owned(),
            figures: format!("{} ÷ {per_task} = {value}", fixed(*steps, 0)),
            value,
            formula: self.text.page.formula.tasks_per_day,
            inputs: vec![
                pair(terms.steps_per_day, fixed(*steps, 0)),
                pair(terms.workload, self.row.workload.name.clone()),
            ],
            ..Evidence::default()
        })
    }

    /// The tier with the least attainment, with the bounds of its true share.
    fn worst_attainment(&self) -> Option<Evidence> {
        let (terms, say) = (&self.text.words.term, &self.text.words.say);
        let &(promise, share) = self.step.worst_tier().value()?;
        let evidence = promise.evidence.value()?;
        let tier = promise.tier.and_then(|tier| self.row.promise.tiers.get(tier));
        let value = format!("{} %", percent(share, 3));
        Some(Evidence {
            title: terms.worst_attainment.to_owned(),
            figures: format!("{} ÷ {} = {value}", count(evidence.good), count(evidence.n)),
            value,
            formula: self.text.page.formula.attainment,
            inputs: vec![
                pair(terms.tier, tier.map(|tier| tier.name.clone()).unwrap_or_default()),
                pair(terms.compliant, count(evidence.good)),
                pair(terms.valid, count(evidence.n)),
                pair(
                    terms.bounds,
                    format!(
                        "{} %",
                        (say.bounds)(&percent(evidence.lower, 3), &percent(evidence.upper, 3))
                    ),
                ),
                pair(terms.promised, format!("≥ {} %", percent(evidence.target, 2))),
                pair(terms.vif, fixed(evidence.vif, 2)),
                pair(terms.episodes, count(evidence.episodes)),
            ],
            ..Evidence::default()
        })
    }

    fn goodput_per_watt(&self, at: &AtLambda) -> Option<Evidence> {
        let terms = &self.text.words.term;
        let (per_watt, power) = (at.goodput_per_watt.value()?, self.step.power.value()?);
        let value = format!("{} tok/J", plain(*per_watt));
        Some(Evidence {
            title: terms.goodput_per_watt.to_owned(),
            figures: format!("{} ÷ {} W = {value}", rate(at.goodput), exact(power.get())),
            value,
            formula: self.text.page.formula.goodput_per_watt,
            inputs: vec![
                pair(terms.goodput, rate(at.goodput)),
                pair(terms.power, format!("{} W", exact(power.get()))),
            ],
            ..Evidence::default()
        })
    }

    fn money(
        &self,
        subject: Subject,
        at: &AtLambda,
        economics: &Economics,
        prices: &PriceSheet,
    ) -> Option<Evidence> {
        let (terms, formulas) = (&self.text.words.term, &self.text.page.formula);
        let currency = &prices.currency;
        let price = |item: Item| item.of(prices).map(|(price, _)| price);
        let gpus = self.row.deployment.gpus_provisioned;
        let day = |amount: f64| format!("{} {currency}/day", fixed(amount, 2));
        let mut evidence = match subject {
            Subject::Cost => {
                let (cost, gpu) = (economics.cost.value()?.finite()?, price(Item::GpuHour)?);
                let value = format!("{} {currency}/MTok", fixed(cost, 4));
                Evidence {
                    title: terms.cost_per_mtok.to_owned(),
                    figures: format!(
                        "{gpu} × {gpus} ÷ 3,600 ÷ {} × 10⁶ = {value}",
                        exact(at.goodput.get())
                    ),
                    value,
                    formula: formulas.cost,
                    inputs: vec![
                        pair(terms.goodput, rate(at.goodput)),
                        pair(terms.gpus_provisioned, self.gpus(gpus)),
                    ],
                    ..Evidence::default()
                }
            }
            Subject::Price => {
                let price = price(Item::Output)?;
                let blended = economics.value_at_price_daily.value()?.blended_per_mtok.clone();
                Evidence {
                    title: terms.price.to_owned(),
                    value: format!("{price} {currency}/MTok"),
                    formula: formulas.price,
                    inputs: vec![pair(
                        self.text.page.blended,
                        blended.value().map_or_else(missing, |blended| {
                            format!("{} {currency}/MTok", fixed(*blended, 3))
                        }),
                    )],
                    ..Evidence::default()
                }
            }
            Subject::Value => {
                let value = economics.value_at_price_daily.value()?;
                let part = |part: &Measured<tokencap_shared::definitions::money::Money>| {
                    part.value().map_or_else(missing, |part| day(part.get()))
                };
                Evidence {
                    title: terms.value_at_price.to_owned(),
                    value: day(value.total.value()?.get()),
                    formula: formulas.value,
                    inputs: vec![
                        pair(terms.output, part(&value.output)),
                        pair(terms.input_uncached, part(&value.input_uncached)),
                        pair(terms.input_cached, part(&value.input_cached)),
                        pair(terms.value_at_cost, part(&economics.value_at_cost_daily)),
                        pair(terms.remark, self.text.words.say.value_at_cost_remark.to_owned()),
                    ],
                    ..Evidence::default()
                }
            }
            _ => {
                let value = economics.value_at_price_daily.value()?.total.value()?.get();
                let cost = economics.gpu_cost_daily.value()?.get();
                let margin = day(economics.margin_daily.value()?.get());
                Evidence {
                    title: terms.margin.to_owned(),
                    figures: format!("{} − {} = {margin}", fixed(value, 2), fixed(cost, 2)),
                    value: margin,
                    formula: formulas.margin,
                    inputs: vec![
                        pair(terms.value_at_price, day(value)),
                        pair(terms.gpu_cost_per_day, day(cost)),
                    ],
                    ..Evidence::default()
                }
            }
        };
        let sheet = (self.text.words.say.prices_of)(&prices.name, &prices.date);
        evidence.inputs.push(pair(self.text.page.price_sheet, sheet));
        evidence.inputs.extend(Item::ALL.into_iter().filter_map(|item| {
            let (price, source) = item.of(prices)?;
            let (name, unit) = self.text.item(item);
            Some((
                format!("{name} [{currency}{unit}]"),
                (self.text.words.say.aside)(&price.to_string(), source),
            ))
        }));
        Some(evidence)
    }

    /// Where all of it was measured.
    fn context(&self) -> Vec<Pair> {
        let (words, step) = (self.text.words, self.step);
        let terms = &words.term;
        let declared = self.manifest.steps.iter().find(|declared| declared.id == step.step);
        let name = (words.say.step_no)(step.step);
        let mut pairs = vec![
            pair(terms.step, (words.say.aside)(&name, (words.step_kind)(step.kind))),
            pair(terms.offered, format!("{} req/s", plain(step.offered))),
            pair(terms.window, span(step.window)),
            pair(terms.members, count(step.counts.members)),
            pair(terms.valid, count(step.counts.valid)),
            pair(terms.compliant, count(step.counts.compliant)),
        ];
        pairs.extend(declared.map(|step| pair(self.text.page.seed, step.seed.to_string())));
        pairs.push(pair(terms.promise, self.row.promise.name.clone()));
        pairs.push(pair(terms.run, format::short_id(&self.row.run).to_owned()));
        let digest = self.manifest.members.get("requests.parquet");
        pairs
            .extend(digest.map(|digest| pair(self.text.page.records, format!("SHA-256 {digest}"))));
        pairs.push(pair(terms.definitions, (words.say.definitions)(self.row.definitions)));
        pairs.push(pair(terms.tool, self.row.tool.clone()));
        pairs
    }

    fn gpus(&self, gpus: u32) -> String {
        (self.text.words.say.gpus)(gpus, &self.row.deployment.gpu)
    }
}

fn pair(label: &str, value: String) -> Pair {
    (label.to_owned(), value)
}

fn missing() -> String {
    format::MISSING.to_owned()
}

fn rate(rate: TokenRate) -> String {
    format!("{} {}", exact(rate.get()), TokenRate::UNIT)
}

/// A figure with more digits than any table shows, so that a reader can check the arithmetic.
fn exact(value: f64) -> String {
    fixed(value, if value.abs() < 100.0 { 4 } else { 2 })
}
