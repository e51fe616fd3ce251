//! A promise sheet with the reader's limits in place of its own.

use std::str::FromStr;

use maud::{Markup, html};
use tokencap_shared::definitions::promise::{Fields, GapQuantile, ItlRule, PromiseSheet, Tier};
use tokencap_shared::present::format::count;
use tokencap_shared::present::query::Query;
use tokencap_shared::present::words::Lang;
use tokencap_shared::units::{Nanos, Share};

use super::{Page, number_field, select};
use crate::{errors, text};

/// The sheet under the query's limits; `None` if the query changes nothing; or what in it is no
/// value.
pub(super) fn changed(
    sheet: &PromiseSheet,
    query: &Query,
    lang: Lang,
) -> Option<Result<PromiseSheet, String>> {
    let mut fields = Fields::from(sheet.clone());
    let mut typed = Typed { query, wrong: Vec::new() };
    let mut put = |name: &str, limit: &mut Nanos| {
        if let Some(millis) = typed.number(name, 0.0..1e12) {
            *limit = Nanos((millis * 1e6).round() as u64);
        }
    };
    put("itl", &mut fields.itl);
    put("queue", &mut fields.queue);
    for (at, tier) in fields.tiers.iter_mut().enumerate() {
        put(&format!("ttft{at}"), &mut tier.ttft);
        put(&format!("tpot{at}"), &mut tier.tpot);
    }
    move_borders(&mut fields.tiers, &mut typed);
    if let Some(rule) = query.chosen("rule").and_then(|key| Rule::of_key(key, sheet)) {
        fields.itl_rule = rule;
    }
    if let Some(percent) = typed.number("confidence", 50.0..100.0)
        && let Ok(confidence) = Share::new(percent / 100.0)
    {
        fields.confidence = confidence;
    }
    for (name, target) in [("attainment", &mut fields.attainment), ("success", &mut fields.success)]
    {
        if let Some(percent) = typed.number(name, 0.0..100.0)
            && let Ok(new) = (percent / 100.0).try_into()
        {
            *target = new;
        }
    }
    if !typed.wrong.is_empty() {
        return Some(Err((text::of(lang).no_value)(&typed.wrong.join(", "))));
    }
    let new = PromiseSheet::try_from(fields).map_err(|error| errors::sheet(&error, lang));
    (new.as_ref() != Ok(sheet)).then_some(new)
}

/// What the reader typed, and what of it is no value where it stands.
struct Typed<'a> {
    query: &'a Query,
    wrong: Vec<String>,
}

impl Typed<'_> {
    /// A number strictly between two.
    fn number(&mut self, name: &str, between: std::ops::Range<f64>) -> Option<f64> {
        self.value(name, |number| between.start < *number && *number < between.end)
    }

    /// A count of tokens, at least so many.
    fn tokens(&mut self, name: &str, least: u32) -> Option<u32> {
        self.value(name, |tokens| *tokens >= least)
    }

    fn value<T: FromStr>(&mut self, name: &str, fits: impl FnOnce(&T) -> bool) -> Option<T> {
        let typed = self.query.chosen(name)?;
        let value = typed.trim().parse().ok().filter(fits);
        if value.is_none() {
            self.wrong.push(typed.to_owned());
        }
        value
    }
}

/// The longest prompts of the tiers, where the query names others: the next tier begins behind them.
fn move_borders(tiers: &mut [Tier], typed: &mut Typed<'_>) {
    let mut moved = false;
    for at in 0..tiers.len() {
        let longest = typed.tokens(&format!("isl{at}"), tiers[at].isl_min);
        if let Some(longest) = longest.filter(|&longest| longest != tiers[at].isl_max) {
            tiers[at].isl_max = longest;
            if let Some(next) = tiers.get_mut(at + 1) {
                next.isl_min = longest.saturating_add(1);
            }
            moved = true;
        }
    }
    if moved {
        // Their names tell of other borders.
        for tier in tiers {
            tier.name =
                format!("{}–{} tok", count(tier.isl_min.into()), count(tier.isl_max.into()));
        }
    }
}

/// The ITL rules to choose from.
struct Rule;

impl Rule {
    const KEYS: [&'static str; 4] = ["gap_share_99", "gap_share_95", "worst_gap", "mean_gap"];

    /// The rule of a key. A sheet that names no stall has the usual one, ten times the limit.
    fn of_key(key: &str, sheet: &PromiseSheet) -> Option<ItlRule> {
        let stall = match sheet.itl_rule {
            ItlRule::GapShare { stall, .. } => stall,
            _ => Nanos(sheet.itl.0.saturating_mul(10)),
        };
        match key {
            "gap_share_99" => Some(ItlRule::GapShare { q: GapQuantile::P99, stall }),
            "gap_share_95" => Some(ItlRule::GapShare { q: GapQuantile::P95, stall }),
            "worst_gap" => Some(ItlRule::WorstGap),
            "mean_gap" => Some(ItlRule::MeanGap),
            _ => None,
        }
    }
}

/// Fields for every limit of the sheet, filled with the query's or the sheet's own.
pub(super) fn form(page: Page<'_>, sheet: &PromiseSheet) -> Markup {
    let terms = &page.words.term;
    let millis = |limit: Nanos| (limit.0 as f64 / 1e6).to_string();
    let percent = |share: f64| ((share * 1e6).round() / 1e4).to_string();
    let field =
        |name: &str, label: &str, unit: &str, own| number_field(page.query, name, label, unit, own);
    let rules = Rule::KEYS.map(|key| (key, Rule::of_key(key, sheet)));
    let own = rules.iter().find(|(_, rule)| *rule == Some(sheet.itl_rule)).map(|(key, _)| *key);
    let chosen = page.query.chosen("rule").or(own).unwrap_or_default();
    let rules = rules
        .into_iter()
        .filter_map(|(key, rule)| Some((key, (page.words.itl_rule_short)(&rule?).to_owned())));
    html! {
        div.fields {
            @for (at, tier) in sheet.tiers.iter().enumerate() {
                (field(&format!("isl{at}"), &format!("{} {}", page.text.longest_prompt, tier.name), "tok", tier.isl_max.to_string()))
                (field(&format!("ttft{at}"), &format!("{} {}", terms.ttft, tier.name), "ms", millis(tier.ttft)))
                (field(&format!("tpot{at}"), &format!("{} {}", terms.tpot, tier.name), "ms", millis(tier.tpot)))
            }
            (field("itl", terms.itl, "ms", millis(sheet.itl)))
            (select("rule", page.text.itl_rule, chosen, rules))
            (field("queue", terms.queue, "ms", millis(sheet.queue)))
            (field("attainment", terms.attainment, "%", percent(sheet.attainment.share().get())))
            (field("success", terms.success, "%", percent(sheet.success.share().get())))
            (field("confidence", page.text.confidence, "%", percent(sheet.confidence.get())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokencap_shared::fixture;

    #[test]
    fn only_what_the_query_changes_is_changed() {
        let sheet = fixture::bundle().manifest.promise;
        let under = |query: &str| changed(&sheet, &Query::parse(query), Lang::En);
        assert_eq!(under(""), None);
        let own = sheet.tiers[0].ttft.0 as f64 / 1e6;
        assert_eq!(under(&format!("ttft0={own}")), None, "the sheet's own limit");
        let tighter = under("ttft0=1.5&attainment=99.9").unwrap().unwrap();
        assert_eq!(tighter.tiers[0].ttft, Nanos(1_500_000));
        assert_eq!(tighter.attainment.share().get(), 0.999);
        assert_eq!(tighter.tiers[0].tpot, sheet.tiers[0].tpot);
        assert!(under("attainment=101").unwrap().is_err());
        let longest = sheet.tiers[0].isl_max;
        assert_eq!(under(&format!("isl0={longest}&confidence=95&rule=gap_share_99")), None);
        let other = under("isl0=700&confidence=99&rule=worst_gap").unwrap().unwrap();
        assert_eq!((other.tiers[0].isl_max, other.tiers[1].isl_min), (700, 701));
        assert_eq!(other.tiers[0].name, "1–700 tok");
        assert_eq!((other.confidence.get(), other.itl_rule), (0.99, ItlRule::WorstGap));
        for wrong in [
            "isl0=99999999",
            "isl0=0",
            "isl0=10.5",
            "confidence=120",
            "confidence=0",
            "ttft0=abc",
            "ttft0=0",
            "queue=-1",
            "success=1e30",
        ] {
            assert!(under(wrong).unwrap().is_err(), "{wrong}");
        }
    }
}
