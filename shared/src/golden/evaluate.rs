//! A worked case, evaluated by the same functions as every measurement.

use serde_json::{Map, Value, json};

use super::case::{Case, CaseError, Deployed, RuleName, workload};
use crate::definitions::capacity::{per_gpu, steps_per_day};
use crate::definitions::judge::{
    Dependence, Evidence, Gaps, PromiseVerdict, Quantity, ShareEvidence, StepJudgement, Verdict,
    complies, judge_step, signed_together,
};
use crate::definitions::measured::Measured;
use crate::definitions::money::{
    InputCached, InputUncached, Output, Price, PriceSheet, cost_per_mtok, daily_value_at_cost,
    gpu_cost_daily, value_at_price,
};
use crate::definitions::promise::{PromiseKind, PromiseSheet};
use crate::definitions::record::Request;
use crate::units::{DAY, Nanos, Ratio, Seconds, Share, TokensPerDay};

/// Evaluates a case, given as JSON, under its three ITL rules: model → rule → numbers, as JSON.
///
/// # Errors
/// If the text is no case, or its promises or prices are none.
pub fn evaluate(case_json: &str) -> Result<String, CaseError> {
    let case: Case = serde_json::from_str(case_json)?;
    let mut models = Map::new();
    for (name, deployed) in &case.deployment {
        let mut rules = Map::new();
        for (rule_name, rule) in RuleName::ALL {
            rules.insert(rule_name.to_owned(), one_rule(&case, name, deployed, rule)?);
        }
        models.insert(name.clone(), Value::Object(rules));
    }
    Ok(Value::Object(models).to_string())
}

fn one_rule(
    case: &Case,
    model: &str,
    deployed: &Deployed,
    rule: RuleName,
) -> Result<Value, CaseError> {
    let sheet = case.slo.sheet(rule)?;
    let of_model = || case.requests.iter().filter(|request| request.model == model);
    let requests: Vec<Request> = of_model().map(|request| request.record(&case.slo)).collect();
    let gaps: Vec<Vec<Nanos>> = of_model().map(super::case::CaseRequest::gaps).collect();
    let step = case.step();
    let evidence =
        Evidence { step: &step, requests: &requests, gaps: Gaps::Exact(&gaps), telemetry: &[] };
    let judged = judge_step(evidence, &sheet, &workload(), Dependence::Independent);

    let members = || requests.iter().filter(|r| step.w0 <= r.sent && r.sent < step.w1);
    let all: u64 = members().map(|r| u64::from(r.osl.unwrap_or(0))).sum();
    let emitted: usize = of_model()
        .zip(&requests)
        .filter(|(_, record)| complies(record, &sheet))
        .flat_map(|(request, _)| request.token_times())
        .filter(|&time| step.w0 <= time && time < step.w1)
        .count();

    let counts = &judged.counts;
    let mut out = json!({
        "n_cohort": counts.members,
        "n_cancelled": counts.cancelled,
        "n_client_error": counts.client_faults,
        "n_effective": counts.valid,
        "n_success": counts.completed,
        "n_failed": counts.valid - counts.completed,
        "n_compliant": counts.compliant,
        "wall_us": judged.wall.value().map(|wall| (wall.get() * 1e6).round() as u64),
        "window_us": case.window_us[1].saturating_sub(case.window_us[0]),
        "out_all": all,
        "out_effective": judged.flow.raw_tokens,
        "out_completed": judged.flow.output_tokens,
        "out_compliant": judged.flow.compliant_tokens,
        "in_offered": judged.input.offered,
        "in_total": judged.input.total,
        "in_cached": judged.input.reused.value(),
        "in_computed": judged.input.computed.value(),
        "out_compliant_emitted_in_window": emitted,
        "screen": match signed_together(&judged.promises, |promise| promise.screen) {
            Verdict::Held => "pass",
            _ => "fail",
        },
        "verdict_all": signed_together(&judged.promises, |promise| promise.verdict),
        "attainment_overall_DO_NOT_SIGN": Share::of(counts.compliant, counts.valid),
    });
    out["rates"] = rates(&judged, deployed, emitted as u64)?;
    out["success"] = find(&judged, PromiseKind::Success, None).map_or(Value::Null, share);
    out["tiers"] = tiers(&judged, case, &sheet);
    Ok(out)
}

/// The promise of a kind, of a tier.
fn find(judged: &StepJudgement, kind: PromiseKind, tier: Option<usize>) -> Option<&PromiseVerdict> {
    judged.promises.iter().find(|promise| promise.kind == kind && promise.tier == tier)
}

fn share(promise: &PromiseVerdict) -> Value {
    let Some(ShareEvidence { good, n, lower, upper, .. }) = promise.evidence.value() else {
        return Value::Null;
    };
    json!({
        "good": good,
        "n": n,
        "point": Share::of(*good, *n),
        "point_ok": promise.screen == Verdict::Held,
        "lower": lower,
        "upper": upper,
        "verdict": promise.verdict,
    })
}

/// Nanoseconds as microseconds; what never came is "inf".
fn micros(time: Option<Nanos>) -> Value {
    time.map_or(json!("inf"), |time| match time.0 % 1_000 {
        0 => json!(time.0 / 1_000),
        _ => json!(time.0 as f64 / 1e3),
    })
}

fn tiers(judged: &StepJudgement, case: &Case, sheet: &PromiseSheet) -> Value {
    let mut tiers = Map::new();
    for (figures, tier) in judged.tiers.iter().zip(&case.slo.tiers) {
        let promise = |kind| find(judged, kind, Some(figures.tier)).map_or(Value::Null, share);
        let of = |set: &crate::definitions::judge::Percentiles,
                  get: fn(&crate::definitions::judge::Percentiles) -> _| {
            if set.n == 0 { Value::Null } else { micros(get(set)) }
        };
        let measured = |set: &Measured<crate::definitions::judge::Percentiles>| match set.value() {
            Some(set) => (json!(set.n), of(set, |set| set.p99)),
            None => (json!(0), Value::Null),
        };
        let (itl_n, itl_p99) = measured(&figures.itl);
        let (queue_n, queue_p99) = measured(&figures.queue);
        let cancelled = &figures.cancelled;
        let tpot = find(judged, PromiseKind::TpotP99, Some(figures.tier));
        debug_assert!(
            tpot.is_none_or(|p| p.limit == Quantity::Time(Some(sheet.tiers[figures.tier].tpot)))
        );
        tiers.insert(
            tier.id.clone(),
            json!({
                "attainment": promise(PromiseKind::Attainment),
                "cancelled": cancelled.n,
                "cancelled_late": cancelled.late,
                "attainment_cancel_adj": cancelled.adjusted.value(),
                "attainment_bounds": [cancelled.lowest.value(), cancelled.highest.value()],
                "ttft_p99_us": of(&figures.ttft, |set| set.p99),
                "ttft_p50_us": of(&figures.ttft, |set| set.p50),
                "ttft_p99_promise": promise(PromiseKind::TtftP99),
                "tpot_n": figures.tpot.n,
                "tpot_p99_us": figures.tpot.p99.map(|time| time.get() * 1e6),
                "tpot_promise": promise(PromiseKind::TpotP99),
                "itl_pooled_n": itl_n,
                "itl_pooled_p99_us": itl_p99,
                "queue_n": queue_n,
                "queue_p99_us": queue_p99,
                "queue_promise": promise(PromiseKind::QueueP99),
            }),
        );
    }
    Value::Object(tiers)
}

fn rates(judged: &StepJudgement, deployed: &Deployed, emitted: u64) -> Result<Value, CaseError> {
    let (Some(&goodput), Some(&raw), Some(&wall)) =
        (judged.flow.goodput.value(), judged.flow.raw.value(), judged.wall.value())
    else {
        return Ok(Value::Null);
    };
    let prices = prices(deployed)?;
    let Some(gpu_hour) = &prices.gpu_hour else { return Ok(Value::Null) };
    let daily = TokensPerDay::new(goodput.get() * DAY)?;
    let cost = cost_per_mtok(gpu_hour, deployed.n_gpus, goodput);
    let value = value_at_price(&judged.sold, wall, &prices);
    let gpu_cost = gpu_cost_daily(gpu_hour, deployed.n_gpus);
    let a_second = |count: u64, time: Seconds| count as f64 / time.get();
    let money = |amount: &Measured<crate::definitions::money::Money>| {
        amount.value().map(|money| money.get())
    };
    let margin = money(&value.total).zip(money(&gpu_cost)).map(|(value, cost)| value - cost);
    let power = deployed.avg_power_w.as_ref().map(super::case::Decimal::get).transpose()?;
    let per_step = deployed.tokens_per_step.as_ref().map(super::case::Decimal::get).transpose()?;
    let steps = per_step.map(Ratio::new).transpose()?.map(|mean| steps_per_day(daily, mean));
    let compliant = judged.counts.compliant;
    Ok(json!({
        "goodput_seed": goodput,
        "goodput_cohort": judged.flow.goodput_steady.value(),
        "raw_effective": raw,
        "raw_completed": a_second(judged.flow.output_tokens, wall),
        "request_goodput": a_second(compliant, wall),
        "goodput_per_gpu": per_gpu(goodput, deployed.n_gpus).value(),
        "daily_cap_tokens": daily,
        "cluster_cost_usd_per_day": money(&gpu_cost),
        "cost_usd_window": money(&gpu_cost).map(|cost| cost * wall.get() / DAY),
        "cost_usd_per_mtok_slo": cost.finite().map_or(json!("inf"), |cost| json!(cost)),
        "value_at_cost_usd_per_day": money(&daily_value_at_cost(daily, cost)),
        "revenue_usd_window": money(&value.total).map(|total| total * wall.get() / DAY),
        "revenue_usd_per_day": money(&value.total),
        "revenue_share_output": value.output_share.value(),
        "revenue_usd_per_mtok_out_blended": money(&value.blended_per_mtok),
        "margin_usd_per_day": margin,
        "goodput_per_watt": power.map(|watts| goodput.get() / watts),
        "steps_per_day_by_247": steps.and_then(|steps| steps.value().copied()),
        "steps_per_day_by_count": a_second(compliant, wall) * DAY,
        "hit_rate": judged.input.hit_rate.value(),
        "in_out_ratio": judged.input.per_output.value(),
        "goodput_token_time": a_second(emitted, judged.window),
    }))
}

fn prices(deployed: &Deployed) -> Result<PriceSheet, CaseError> {
    let selling = &deployed.price_usd_per_mtok;
    let source = "the case";
    Ok(PriceSheet {
        name: "case".to_owned(),
        currency: "USD".to_owned(),
        date: "2026-01-01".to_owned(),
        gpu_hour: Some(Price::new(deployed.gpu_usd_per_hour.get()?, source)?),
        output: Some(Price::<Output>::new(selling.out.get()?, source)?),
        input_uncached: Some(Price::<InputUncached>::new(selling.in_uncached.get()?, source)?),
        input_cached: Some(Price::<InputCached>::new(selling.in_cached.get()?, source)?),
    })
}
