//! The money of one row as a sheet of live formulas: measured figures, assumptions that may be
//! changed, and what follows from both.

use rust_xlsxwriter::{Formula, Worksheet};
use tokencap_shared::definitions::measured::Measured;
use tokencap_shared::definitions::money::{Price, PriceBasis, PriceSheet};
use tokencap_shared::present::document::Figure;
use tokencap_shared::present::report::Row;
use tokencap_shared::present::words::Words;
use tokencap_shared::units::DAY;

use super::style::{Formats, XlsxError, number_format};

/// Where a figure stands in the sheet: what it is, in every language, and its cell.
pub(super) type Place = (&'static str, String);

/// Writes rows of name, value and unit, and remembers where values stand.
struct Sheet<'a> {
    sheet: &'a mut Worksheet,
    formats: &'a Formats,
    at: u32,
    places: Vec<Place>,
}

/// A value in the sheet: its address, and what it is now. Absent where it is not known.
#[derive(Clone, Debug, Default)]
struct Value(Option<(String, f64)>);

impl Sheet<'_> {
    fn heading(&mut self, text: &str) -> Result<(), XlsxError> {
        self.at += u32::from(self.at > 0);
        self.sheet.write_string_with_format(self.at, 0, text, &self.formats.title)?;
        self.at += 1;
        Ok(())
    }

    fn text(&mut self, text: &str) -> Result<(), XlsxError> {
        self.sheet.write_string(self.at, 0, text)?;
        self.at += 1;
        Ok(())
    }

    fn names(
        &mut self,
        id: &'static str,
        name: &str,
        unit: &str,
        remark: &str,
    ) -> Result<String, XlsxError> {
        self.sheet.write_string(self.at, 0, name)?;
        self.sheet.write_string(self.at, 2, unit)?;
        self.sheet.write_string(self.at, 3, remark)?;
        self.at += 1;
        self.places.push((id, format!("$B${}", self.at)));
        Ok(format!("B{}", self.at))
    }

    /// A measured figure.
    fn measured(
        &mut self,
        id: &'static str,
        name: &str,
        unit: &str,
        value: Measured<f64>,
        words: &Words,
    ) -> Result<Value, XlsxError> {
        let row = self.at;
        match value {
            Measured::Value(value) => {
                let address = self.names(id, name, unit, "")?;
                self.sheet.write_number(row, 1, value)?;
                Ok(Value(Some((address, value))))
            }
            Measured::Missing(reason) => {
                self.names(id, name, unit, &(words.missing)(&reason))?;
                Ok(Value(None))
            }
        }
    }

    /// A value that the reader may change.
    fn assumed(
        &mut self,
        id: &'static str,
        name: &str,
        unit: &str,
        value: Option<f64>,
        remark: &str,
    ) -> Result<Value, XlsxError> {
        let row = self.at;
        let address = self.names(id, name, unit, remark)?;
        let Some(value) = value else {
            // Empty, to be filled in; a formula that needs it stays away.
            self.sheet.write_blank(row, 1, &self.formats.assumption)?;
            return Ok(Value(None));
        };
        self.sheet.write_number_with_format(row, 1, value, &self.formats.assumption)?;
        Ok(Value(Some((address, value))))
    }

    /// A figure of the price sheet, and who says so.
    fn price<B: PriceBasis>(
        &mut self,
        id: &'static str,
        name: &str,
        unit: &str,
        price: &Option<Price<B>>,
    ) -> Result<Value, XlsxError> {
        let source = price.as_ref().map_or("", |price| &price.source);
        self.assumed(id, name, unit, price.as_ref().map(Price::get), source)
    }

    /// A formula over known values. `{0}`, `{1}`… stand for their addresses; the result is what
    /// the formula gives now, for readers that do not compute.
    fn formula(
        &mut self,
        (id, name): (&'static str, &str),
        unit: &str,
        decimals: usize,
        values: &[&Value],
        formula: &str,
        result: impl Fn(&[f64]) -> f64,
    ) -> Result<Value, XlsxError> {
        let known: Option<Vec<&(String, f64)>> =
            values.iter().map(|value| value.0.as_ref()).collect();
        let Some(known) = known else { return Ok(Value(None)) };
        let numbers: Vec<f64> = known.iter().map(|(_, number)| *number).collect();
        let result = result(&numbers);
        if !result.is_finite() {
            return Ok(Value(None));
        }
        let mut text = formula.to_owned();
        for (index, (address, _)) in known.iter().enumerate() {
            text = text.replace(&format!("{{{index}}}"), address);
        }
        let row = self.at;
        let address = self.names(id, name, unit, "")?;
        let formula = Formula::new(text).set_result(result.to_string());
        let format = self.formats.plain.clone().set_num_format(number_format(decimals));
        self.sheet.write_formula_with_format(row, 1, formula, &format)?;
        Ok(Value(Some((address, result))))
    }
}

/// Writes the sheet; says where its figures stand.
pub(super) fn write(
    sheet: &mut Worksheet,
    row: &Row,
    prices: &PriceSheet,
    words: &Words,
    formats: &Formats,
) -> Result<Vec<Place>, XlsxError> {
    sheet.set_column_width(0, 40)?;
    sheet.set_column_width(1, 18)?;
    sheet.set_column_width(2, 20)?;
    sheet.set_column_width(3, 60)?;
    let mut sheet = Sheet { sheet, formats, at: 0, places: Vec::new() };
    let terms = &words.term;
    let currency = prices.currency.as_str();
    let per_mtok = format!("{currency}/MTok");
    let a_day = format!("{currency}/day");

    sheet.heading(&label(row, words))?;
    sheet.text(words.say.money_is_derived)?;
    sheet.text(&(words.say.prices_of)(&prices.name, &prices.date))?;

    sheet.heading(terms.measured)?;
    let at = &row.capacity.at;
    let goodput = at.clone().map(|at| at.goodput.get());
    let goodput = sheet.measured(Figure::Goodput.name(), terms.goodput, "tok/s", goodput, words)?;
    let sold = row.capacity.lambda.value().and_then(|lambda| row.step(lambda.step));
    let sold = Measured::of(sold, tokencap_shared::definitions::measured::Missing::NothingHeld);
    let wall = sold.clone().and_then(|step| step.wall.clone()).map(|wall| wall.get());
    let wall = sheet.measured("wall", terms.wall, "s", wall, words)?;
    let tokens = |get: fn(&tokencap_shared::definitions::judge::Sold) -> Measured<u64>| {
        sold.clone().and_then(|step| get(&step.sold)).map(|tokens| tokens as f64)
    };
    let output = tokens(|sold| Measured::Value(sold.output));
    let output = sheet.measured("output", terms.output, "tok", output, words)?;
    let uncached = tokens(|sold| sold.input_uncached.clone());
    let uncached =
        sheet.measured("input-uncached", terms.input_uncached, "tok", uncached, words)?;
    let cached = tokens(|sold| sold.input_cached.clone());
    let cached = sheet.measured("input-cached", terms.input_cached, "tok", cached, words)?;

    sheet.heading(words.title.assumptions)?;
    let gpus = f64::from(row.deployment.gpus_provisioned);
    let gpus = sheet.assumed("gpus-provisioned", terms.gpus_provisioned, "", Some(gpus), "")?;
    let serving = f64::from(row.deployment.gpus_serving);
    let serving = sheet.assumed("gpus-serving", terms.gpus_serving, "", Some(serving), "")?;
    let gpu_hour =
        sheet.price("gpu-hour", terms.gpu_hour, &format!("{currency}/GPU/h"), &prices.gpu_hour)?;
    let of = |tokens| (words.say.aside)(terms.price, tokens);
    let output_price = sheet.price("output-price", &of(terms.output), &per_mtok, &prices.output)?;
    let uncached_price = sheet.price(
        "input-uncached-price",
        &of(terms.input_uncached),
        &per_mtok,
        &prices.input_uncached,
    )?;
    let cached_price = sheet.price(
        "input-cached-price",
        &of(terms.input_cached),
        &per_mtok,
        &prices.input_cached,
    )?;
    let utilisation = sheet.assumed("utilisation", terms.utilisation, "", Some(1.0), "0–1")?;
    let osl = at.clone().and_then(|at| at.mean_osl).value().map(|osl| osl.get());
    let osl = sheet.assumed("mean-osl", terms.mean_osl, "tok", osl, "")?;
    let steps = row.steps_per_task.map(f64::from);
    let steps = sheet.assumed("steps-per-task", terms.steps_per_task, "", steps, "")?;

    sheet.heading(words.title.figures)?;
    let daily = sheet.formula(
        (Figure::Daily.name(), terms.daily),
        "tok/day",
        0,
        &[&goodput],
        "={0}*86400",
        |v| v[0] * DAY,
    )?;
    sheet.formula(
        (Figure::GoodputPerGpu.name(), terms.goodput_per_gpu),
        "tok/s/GPU",
        3,
        &[&goodput, &serving],
        "={0}/{1}",
        |v| v[0] / v[1],
    )?;
    let step_day = sheet.formula(
        (Figure::StepsPerDay.name(), terms.steps_per_day),
        words.say.steps_unit,
        0,
        &[&daily, &osl],
        "={0}/{1}",
        |v| v[0] / v[1],
    )?;
    sheet.formula(
        (Figure::TasksPerDay.name(), terms.tasks_per_day),
        words.say.tasks_unit,
        0,
        &[&step_day, &steps],
        "={0}/{1}",
        |v| v[0] / v[1],
    )?;

    sheet.heading(words.title.money)?;
    let gpu_cost = sheet.formula(
        ("gpu-cost", terms.gpu_cost_per_day),
        &a_day,
        2,
        &[&gpu_hour, &gpus],
        "={0}*{1}*24",
        |v| v[0] * v[1] * 24.0,
    )?;
    let cost = sheet.formula(
        (Figure::Cost.name(), terms.cost_per_mtok),
        &per_mtok,
        3,
        &[&gpu_hour, &gpus, &goodput],
        "={0}*{1}/3600/{2}*1000000",
        |v| v[0] * v[1] / 3600.0 / v[2] * 1e6,
    )?;
    sheet.formula(
        ("cost-utilised", &(words.say.aside)(terms.cost_per_mtok, terms.utilisation)),
        &per_mtok,
        3,
        &[&cost, &utilisation],
        "={0}/{1}",
        |v| v[0] / v[1],
    )?;
    let value = |sheet: &mut Sheet<'_>, id, name: &str, tokens: &Value, price: &Value| {
        sheet.formula(
            (id, name),
            &a_day,
            2,
            &[tokens, price, &wall],
            "={0}*{1}/1000000/{2}*86400",
            |v| v[0] * v[1] / 1e6 / v[2] * DAY,
        )
    };
    let parts = [
        value(&mut sheet, "output-value", terms.output, &output, &output_price)?,
        value(
            &mut sheet,
            "input-uncached-value",
            terms.input_uncached,
            &uncached,
            &uncached_price,
        )?,
        value(&mut sheet, "input-cached-value", terms.input_cached, &cached, &cached_price)?,
    ];
    let known: Vec<&Value> = parts.iter().filter(|part| part.0.is_some()).collect();
    if known.is_empty() {
        return Ok(sheet.places);
    }
    let sum: Vec<String> = (0..known.len()).map(|index| format!("{{{index}}}")).collect();
    let sum = format!("={}", sum.join("+"));
    let total = sheet.formula(
        (Figure::Value.name(), terms.value_at_price),
        &a_day,
        2,
        &known,
        &sum,
        |v| v.iter().sum(),
    )?;
    sheet.formula(
        (Figure::Margin.name(), terms.margin),
        &a_day,
        2,
        &[&total, &gpu_cost],
        "={0}-{1}",
        |v| v[0] - v[1],
    )?;
    Ok(sheet.places)
}

/// Whether a row's numbers are of the simulator, as a word beside its name.
fn label(row: &Row, words: &Words) -> String {
    if row.deployment.simulated {
        (words.say.aside)(&row.deployment.model, words.say.simulated)
    } else {
        row.deployment.model.clone()
    }
}
