"""Reads a bundle with programs that know nothing of tokencap, and prints what they saw as JSON.

Arguments: the bundle, and the JSON Schema of its manifest.
"""

import io
import json
import sys
import tempfile
import zipfile

import duckdb
import jsonschema
import pandas

bundle, schema = sys.argv[1:]
seen = {}
with zipfile.ZipFile(bundle) as archive:
    assert archive.testzip() is None
    seen["members"] = archive.namelist()
    manifest = json.loads(archive.read("manifest.json"))
    tables = {name: archive.read(name + ".parquet") for name in ("requests", "telemetry")}

with open(schema, encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
seen["manifest_errors"] = [error.message for error in validator.iter_errors(manifest)]
for change in ({"format": 1}, {"origin": {"kind": "shard"}}, {"warnings": ["a"]}, {"steps": {}}, {"extra": 1}):
    assert list(validator.iter_errors({**manifest, **change})), f"{change} must not be valid"
for missing in ("promise", "members"):
    rest = {name: value for name, value in manifest.items() if name != missing}
    assert list(validator.iter_errors(rest)), f"without {missing} it must not be valid"

frame = pandas.read_parquet(io.BytesIO(tables["requests"]))
seen["pandas"] = {
    "columns": {name: str(kind) for name, kind in frame.dtypes.items()},
    "rows": len(frame),
    "osl": int(frame["osl"].sum()),
    "failed": int(frame["outcome"].str.startswith("failed").sum()),
    "without_first_token": int(frame["first_token_ns"].isna().sum()),
}
samples = pandas.read_parquet(io.BytesIO(tables["telemetry"]))
seen["samples"] = {
    "rows": len(samples),
    "metrics": sorted(samples["metric"].unique()),
    "models": sorted(samples["labels"].map(json.loads).map(lambda labels: labels["model"]).unique()),
}

with tempfile.TemporaryDirectory() as folder:
    paths = {}
    for name, contents in tables.items():
        paths[name] = f"{folder}/{name}.parquet"
        with open(paths[name], "wb") as file:
            file.write(contents)
    connection = duckdb.connect()
    rows, osl, ttft, mean = connection.execute(
        "select count(*), sum(osl), max(first_token_ns - sent_ns),"
        " sum((gap_mean_ns != (last_token_ns - first_token_ns) // (events::bigint - 1))::int)"
        " filter (where events > 1)"
        f" from '{paths['requests']}'"
    ).fetchone()
    types = connection.execute(f"describe select * from '{paths['requests']}'").fetchall()
    models = connection.execute(
        f"select distinct json_extract_string(labels, '$.model') from '{paths['telemetry']}'"
    ).fetchall()
    seen["duckdb"] = {
        "models": [model for model, in models],
        "rows": rows,
        "osl": int(osl),
        "ttft_max_ns": ttft,
        "wrong_means": int(mean or 0),
        "columns": {name: kind for name, kind, *_ in types},
    }

json.dump(seen, sys.stdout)
