//! A promise sheet with the reader's limits in place of its own.

use maud::{Markup, html};
use tokencap_shared::promise::{Fields, PromiseSheet};
use tokencap_shared::units::Nanos;

use super::{Page, number_field};
use tokencap_shared::query::Query;

/// The sheet under the query's limits; `None` if the query changes nothing.
pub(super) fn changed(sheet: &PromiseSheet, query: &Query) -> Option<Result<PromiseSheet, String>> {
    let mut fields = Fields::from(sheet.clone());
    let put = |name: &str, limit: &mut Nanos| {
        if let Some(millis) = query.number(name).filter(|millis| *millis < 1e12) {
            *limit = Nanos((millis * 1e6).round() as u64);
        }
    };
    put("itl", &mut fields.itl);
    put("queue", &mut fields.queue);
    for (at, tier) in fields.tiers.iter_mut().enumerate() {
        put(&format!("ttft{at}"), &mut tier.ttft);
        put(&format!("tpot{at}"), &mut tier.tpot);
    }
    let mut wrong = None;
    for (name, target) in [("attainment", &mut fields.attainment), ("success", &mut fields.success)]
    {
        if let Some(percent) = query.number(name) {
            match (percent / 100.0).try_into() {
                Ok(new) => *target = new,
                Err(error) => wrong = Some(format!("{error}")),
            }
        }
    }
    if let Some(wrong) = wrong {
        return Some(Err(wrong));
    }
    let new = PromiseSheet::try_from(fields).map_err(|error| error.to_string());
    (new.as_ref() != Ok(sheet)).then_some(new)
}

/// Fields for every limit of the sheet, filled with the query's or the sheet's own.
pub(super) fn form(page: Page<'_>, sheet: &PromiseSheet) -> Markup {
    let terms = &page.words.term;
    let millis = |limit: Nanos| (limit.0 as f64 / 1e6).to_string();
    let percent = |share: f64| ((share * 1e6).round() / 1e4).to_string();
    let field =
        |name: &str, label: &str, unit: &str, own| number_field(page.query, name, label, unit, own);
    html! {
        div.fields {
            @for (at, tier) in sheet.tiers.iter().enumerate() {
                (field(&format!("ttft{at}"), &format!("{} {}", terms.ttft, tier.name), "ms", millis(tier.ttft)))
                (field(&format!("tpot{at}"), &format!("{} {}", terms.tpot, tier.name), "ms", millis(tier.tpot)))
            }
            (field("itl", terms.itl, "ms", millis(sheet.itl)))
            (field("queue", terms.queue, "ms", millis(sheet.queue)))
            (field("attainment", terms.attainment, "%", percent(sheet.attainment.share())))
            (field("success", terms.success, "%", percent(sheet.success.share())))
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
        let under = |query: &str| changed(&sheet, &Query::parse(query));
        assert_eq!(under(""), None);
        let own = sheet.tiers[0].ttft.0 as f64 / 1e6;
        assert_eq!(under(&format!("ttft0={own}")), None, "the sheet's own limit");
        let tighter = under("ttft0=1.5&attainment=99.9").unwrap().unwrap();
        assert_eq!(tighter.tiers[0].ttft, Nanos(1_500_000));
        assert_eq!(tighter.attainment.share(), 0.999);
        assert_eq!(tighter.tiers[0].tpot, sheet.tiers[0].tpot);
        assert!(under("attainment=101").unwrap().is_err());
    }
}
