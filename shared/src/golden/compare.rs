//! What was worked out against what was evaluated: integers and words equal, exact fractions
//! to 1e-12, bounds and other floats to 1e-9, relative.

use serde_json::Value;

/// One place where the two differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Path to the number, such as `m1.frac.rates.goodput_seed`.
    pub path: String,
    /// What was worked out.
    pub expected: String,
    /// What was evaluated.
    pub found: String,
}

/// Fractions with integer parts are exact but for the last bits.
const EXACT: f64 = 1e-12;
/// Bounds go through an inverse.
const BOUND: f64 = 1e-9;

/// Every place where an evaluated case differs from the worked one.
///
/// # Errors
/// If either text is no JSON.
pub fn compare(expected: &str, found: &str) -> Result<Vec<Difference>, serde_json::Error> {
    let (expected, found) = (serde_json::from_str(expected)?, serde_json::from_str(found)?);
    let mut differences = Vec::new();
    walk("", &expected, &found, &mut differences);
    Ok(differences)
}

fn walk(path: &str, expected: &Value, found: &Value, out: &mut Vec<Difference>) {
    let below = |key: &str| match path {
        "" => key.to_owned(),
        _ => format!("{path}.{key}"),
    };
    let same = match (expected, found) {
        (Value::Object(worked), _) if worked.contains_key("exact") => {
            let fraction = worked.get("exact").and_then(Value::as_str).and_then(fraction);
            fraction.is_some_and(|number| close(number, found, EXACT))
        }
        (Value::Object(worked), Value::Object(_)) => {
            for (key, value) in worked {
                walk(&below(key), value, found.get(key).unwrap_or(&Value::Null), out);
            }
            return;
        }
        (Value::Array(worked), Value::Array(evaluated)) if worked.len() == evaluated.len() => {
            for (i, (value, other)) in worked.iter().zip(evaluated).enumerate() {
                walk(&below(&i.to_string()), value, other, out);
            }
            return;
        }
        (Value::Number(number), Value::Number(other)) if number.is_u64() && other.is_u64() => {
            number == other
        }
        (Value::Number(number), _) => {
            number.as_f64().is_some_and(|number| close(number, found, BOUND))
        }
        _ => expected == found,
    };
    if !same {
        let (expected, found) = (expected.to_string(), found.to_string());
        out.push(Difference { path: path.to_owned(), expected, found });
    }
}

fn close(number: f64, found: &Value, tolerance: f64) -> bool {
    found.as_f64().is_some_and(|found| (number - found).abs() <= tolerance * number.abs())
}

/// The number of "a/b".
fn fraction(text: &str) -> Option<f64> {
    let (above, below) = text.split_once('/')?;
    let number = above.trim().parse::<f64>().ok()? / below.trim().parse::<f64>().ok()?;
    number.is_finite().then_some(number)
}
