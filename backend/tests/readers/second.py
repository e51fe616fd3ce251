"""A second reader of bundles, written from docs/BUNDLE.md and docs/METRICS.md alone: it shares no
code with tokencap. Prints what it computes from the raw records as JSON.

Argument: the bundle.
"""

import base64
import hashlib
import io
import json
import math
import struct
import sys
import zipfile
import zlib

import pandas

RAW = ("requests.parquet", "gaps.hlog", "telemetry.parquet")
PAYLOAD_TYPE = "application/vnd.in-toto+json"


def histogram(payload):
    """Counts of an HdrHistogram by the greatest value of their place."""
    packed = base64.b64decode(payload, validate=True)
    cookie, length = struct.unpack_from(">II", packed)
    assert cookie == 0x1C849314 and length == len(packed) - 8
    plain = zlib.decompress(packed[8:])
    cookie, length, offset, digits, lowest, _, ratio = struct.unpack_from(">IIIIQQd", plain)
    assert (cookie, offset, digits, lowest, ratio) == (0x1C849313, 0, 3, 1, 1.0)
    assert length == len(plain) - 40
    counts, place, at = {}, 0, 40
    while at < len(plain):
        number = 0
        for byte in range(9):
            bits = plain[at]
            at += 1
            number |= (bits if byte == 8 else bits & 0x7F) << 7 * byte
            if bits < 0x80:
                break
        number = number >> 1 ^ -(number & 1)
        if number < 0:
            place -= number
            continue
        if number:
            shift = max(0, (place >> 10) - 1)
            counts[((place - (shift << 10)) + 1 << shift) - 1] = number
        place += 1
    return counts


def gap_log(text):
    """The histogram of each (step, tier)."""
    found = {}
    for line in text.splitlines():
        if line and line[0] not in '#"':
            tag, _, _, _, payload = line.split(",")
            step, tier = tag.removeprefix("Tag=").split(".")
            found[int(step), int(tier)] = histogram(payload)
    return found


def rank(n, percent):
    return -(-n * percent // 100)


def p99(counts):
    """The 99th percentile of values with their counts, by nearest rank."""
    wanted, seen = rank(sum(counts.values()), 99), 0
    for value in sorted(counts):
        seen += counts[value]
        if seen >= wanted:
            return value
    return None


def complies(row, tier, sheet):
    """Completed, the first token in time, and the ITL rule holds."""
    if row.outcome != "completed" or pandas.isna(row.first_token_ns):
        return False
    if row.first_token_ns - row.sent_ns > tier["ttft_ms"] * 1e6:
        return False
    rule, limit, gaps = sheet["itl_rule"], sheet["itl_ms"] * 1e6, row.events - 1
    if gaps < 1:
        return True
    if rule["rule"] == "gap_share":
        most = {0.95: row.gap_p95_ns, 0.99: row.gap_p99_ns}[rule["q"]]
        return most <= limit and row.gap_max_ns <= rule["stall_ms"] * 1e6
    if rule["rule"] == "worst_gap":
        return row.gap_max_ns <= limit
    return row.last_token_ns - row.first_token_ns <= limit * gaps


def judged(step, rows, gaps, sheet):
    """What docs/METRICS.md makes of the window of one step."""
    members = rows[(rows.step == step["id"]) & (rows.sent_ns >= step["w0"]) & (rows.sent_ns < step["w1"])]
    valid = members[(members.outcome == "completed") | members.outcome.str.startswith("failed:")]
    told = {"step": step["id"], "members": len(members), "valid": len(valid), "tiers": []}
    tokens = 0
    for index, tier in enumerate(sheet["tiers"]):
        here = valid[(valid.isl >= tier["isl_min"]) & (valid.isl <= tier["isl_max"])]
        good = [row for row in here.itertuples() if complies(row, tier, sheet)]
        tokens += sum(0 if pandas.isna(row.osl) else int(row.osl) for row in good)
        ttft = sorted((here.first_token_ns - here.sent_ns).astype(object).fillna(math.inf))
        slowest = ttft[rank(len(ttft), 99) - 1] if ttft else None
        told["tiers"].append({
            "valid": len(here),
            "compliant": len(good),
            "ttft_p99_ns": None if slowest in (None, math.inf) else int(slowest),
            "gaps": sum(gaps.get((step["id"], index), {}).values()),
            "itl_p99_ns": p99(gaps.get((step["id"], index), {})),
        })
    wall = (int(members.end_ns.max()) - int(members.sent_ns.min())) / 1e9
    return told | {"wall_s": wall, "goodput": tokens / wall}


# Ed25519 (RFC 8032), in the plainest way: no secret is at stake where a signature is checked.
P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def point(encoded):
    y = int.from_bytes(encoded, "little")
    sign, y = y >> 255, y & 2**255 - 1
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert (x * x - square) % P == 0, "no point of the curve"
    return (P - x if x & 1 != sign else x), y


def add(one, other):
    (x1, y1), (x2, y2) = one, other
    product = D * x1 * x2 * y1 * y2
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, P)
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, P)
    return x % P, y % P


def times(number, one):
    sum_ = (0, 1)
    while number:
        if number & 1:
            sum_ = add(sum_, one)
        one, number = add(one, one), number >> 1
    return sum_


BASE = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def verifies(key, message, signature):
    s = int.from_bytes(signature[32:], "little")
    if s >= ORDER:
        return False
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    k = int.from_bytes(digest, "little") % ORDER
    return times(s, BASE) == add(point(signature[:32]), times(k, point(key)))


def sign_off(text, digests):
    """Whether an envelope is intact and about these members, and what it says."""
    envelope = json.loads(text)
    [signature] = envelope["signatures"]
    payload = base64.b64decode(envelope["payload"], validate=True)
    kind = envelope["payloadType"]
    assert kind == PAYLOAD_TYPE
    message = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
    key = bytes.fromhex(signature["keyid"].removeprefix("ed25519:"))
    statement = json.loads(payload)
    subject = {member["name"]: member["digest"]["sha256"] for member in statement["subject"]}
    return {
        "intact": verifies(key, message, base64.b64decode(signature["sig"], validate=True)),
        "forged": verifies(key, message + b" ", base64.b64decode(signature["sig"])),
        "same_members": subject == digests,
        "says": statement["predicate"]["says"],
    }


with zipfile.ZipFile(sys.argv[1]) as archive:
    members = {name: archive.read(name) for name in archive.namelist()}
digests = {
    name: hashlib.sha256(contents).hexdigest()
    for name, contents in members.items()
    if not name.startswith("signoff/")
}
manifest = json.loads(members["manifest.json"])
assert manifest["format"] <= 2 and manifest["definitions"] <= 1, "a newer format"
for name in RAW:
    assert manifest["members"][name] == digests[name], f"{name} is not the one that was written"

rows = pandas.read_parquet(io.BytesIO(members["requests.parquet"]), dtype_backend="numpy_nullable")
gaps = gap_log(members["gaps.hlog"].decode())
json.dump(
    {
        "steps": [judged(step, rows, gaps, manifest["promise"]) for step in manifest["steps"]],
        "sign_offs": {
            name: sign_off(text, digests)
            for name, text in members.items()
            if name.startswith("signoff/")
        },
    },
    sys.stdout,
)
