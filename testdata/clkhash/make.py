"""Makes cases.json: what clkhash 0.18.3 makes of some schemas (pip install clkhash==0.18.3; python make.py).

`cases()` is also what the live test compares (python/tests/test_link_clkhash.py). Nobody in the rows is real.
"""

import base64
import hashlib
import json
import pathlib
import random

SECRET = "a secret that is long enough"


def text(**more):
    return {"type": "string", **more}


def feature(name, fmt, comparison, strategy, hash=None, missing=None):
    hashing = {"comparison": comparison, "strategy": strategy}
    if hash:
        hashing["hash"] = hash
    if missing:
        hashing["missingValue"] = missing
    return {"identifier": name, "format": fmt, "hashing": hashing}


def v3(features, l=1024, kdf=None, folds=0):
    config = {"l": l, "kdf": {"type": "HKDF", **(kdf or {})}}
    if folds:
        config["xor_folds"] = folds
    return {"version": 3, "clkConfig": config, "features": features}


def ngram(n=2, positional=False):
    return {"type": "ngram", "n": n, "positional": positional}


def numeric(distance, resolution, precision=0):
    return {"type": "numeric", "thresholdDistance": distance, "resolution": resolution, "fractional_precision": precision}


EXACT = {"type": "exact"}
DOUBLE = {"type": "doubleHash"}
SAFE = {"type": "doubleHash", "prevent_singularity": True}
BLAKE = {"type": "blakeHash"}
IGNORED = {"identifier": "id", "ignored": True}


def rows(count, seed):
    drawn = random.Random(seed)
    names = ["anna", "Bob", "Zoë", "maria-luisa", "O'Neil", "", "xu", "Ægir Jónsson", "  lee ", "李", "a", "😀mile", "anna"]
    made = []
    for at in range(count):
        date = f"{drawn.randint(1900, 2020)}-{drawn.randint(1, 12):02}-{drawn.randint(1, 28):02}"
        number = drawn.choice(["7", "007", "+12", "-3", "1_000", " 42", "0", str(drawn.randint(-10**6, 10**20))])
        income = drawn.choice(["1.25", "-0.5", "3", "1e3", "12.345", str(round(drawn.uniform(-500, 500), 3))])
        sex = drawn.choice(["f", "m", "x"])
        made.append([str(at), drawn.choice(names), drawn.choice(names), date, number, income, sex])
    return made


def cases():
    name = lambda which, cut=None, strategy=None, hash=None, fmt=None, missing=None: feature(
        which, fmt or text(), cut or ngram(), strategy or {"bitsPerToken": 20}, hash, missing
    )
    date = lambda cut, strategy, hash=None: feature("birth", {"type": "date", "format": "%Y-%m-%d"}, cut, strategy, hash)
    number = lambda cut, strategy, hash=None: feature("number", {"type": "integer"}, cut, strategy, hash)
    income = lambda cut, strategy, hash=None: feature("income", text(), cut, strategy, hash)
    sexed = lambda hash=None: feature("sex", {"type": "enum", "values": ["f", "m", "x"]}, EXACT, {"bitsPerToken": 25}, hash)
    sex = sexed()
    whole = lambda hash: [
        IGNORED,
        name("given", hash=hash),
        name("surname", ngram(3, True), {"bitsPerFeature": 150}, hash),
        date(ngram(1, True), {"bitsPerFeature": 100}, hash),
        number(numeric(10, 4), {"bitsPerToken": 5}, hash),
        income(numeric(0.5, 3, 2), {"bitsPerFeature": 61}, hash),
        sexed(hash),
    ]
    made = {
        "blake": v3(whole(BLAKE)),
        "double": v3(whole(DOUBLE), kdf={"hash": "SHA512", "salt": base64.b64encode(b"salt").decode(), "info": base64.b64encode(b"info").decode()}),
        "safe": v3(whole(SAFE), l=37, kdf={"keySize": 20}),
        "folded": v3(whole(BLAKE), l=256, folds=2),
        "folded odd": v3(whole(DOUBLE), l=333, folds=1),
        "many bits": v3([IGNORED, name("given", strategy={"bitsPerToken": 100}), *[{"identifier": n, "ignored": True} for n in ["surname", "birth", "number", "income", "sex"]]]),
        "few bits": v3([IGNORED, name("given", strategy={"bitsPerFeature": 3}), name("surname", EXACT, {"bitsPerFeature": 33}), date(EXACT, {"bitsPerToken": 33}), number(ngram(), {"bitsPerToken": 7}), income(ngram(), {"bitsPerToken": 7}), sex], l=2048),
        "missing": v3([IGNORED, name("given", missing={"sentinel": "", "replaceWith": "nobody"}), name("surname", missing={"sentinel": "anna"}, fmt=text(minLength=0)), date(ngram(), {"bitsPerToken": 2}), number(ngram(), {"bitsPerToken": 2}), income(ngram(), {"bitsPerToken": 2}), sex]),
        "utf-16": v3([IGNORED, name("given", fmt=text(encoding="utf-16")), name("surname", fmt=text(encoding="utf-32"), hash=DOUBLE), date(ngram(), {"bitsPerToken": 2}), number(ngram(), {"bitsPerToken": 2}), income(ngram(), {"bitsPerToken": 2}), sex]),
    }
    old = {"identifier": "given", "format": text(), "hashing": {"ngram": 2, "weight": 0.5}}
    rest = [
        {"identifier": "birth", "format": {"type": "date", "format": "%Y-%m-%d"}, "hashing": {"ngram": 1, "positional": True}},
        {"identifier": "number", "format": {"type": "integer"}, "hashing": {"ngram": 1, "weight": 1.25}},
        {"identifier": "income", "format": text(), "hashing": {"ngram": 2, "weight": 0}},
        {"identifier": "sex", "format": {"type": "enum", "values": ["f", "m", "x"]}, "hashing": {"ngram": 1}},
    ]
    for hash in [BLAKE, DOUBLE, SAFE]:
        made[f"version 1 {hash['type']} {len(hash)}"] = {
            "version": 1,
            "clkConfig": {"l": 1024, "k": 18, "hash": hash, "kdf": {"type": "HKDF", "keySize": 64}},
            "features": [IGNORED, old, {"identifier": "surname", "format": text(), "hashing": {"ngram": 3, "missingValue": {"sentinel": "xu", "replaceWith": "y"}}}, *rest],
        }
    second = [{**one, "hashing": {"ngram": max(one["hashing"]["ngram"], 1), "positional": one["hashing"].get("positional", False), "strategy": {"k": 11} if at % 2 else {"numBits": 90}, **({"hash": DOUBLE} if at == 0 else {})}} for at, one in enumerate([old, *rest])]
    made["version 2"] = {
        "version": 2,
        "clkConfig": {"l": 512, "xor_folds": 1, "kdf": {"type": "HKDF", "hash": "SHA256"}},
        "features": [IGNORED, second[0], {"identifier": "surname", "ignored": True}, *second[1:]],
    }
    return made


def header():
    return ["id", "given", "surname", "birth", "number", "income", "sex"]


def clks(schema, records):
    from clkhash.clk import generate_clks
    from clkhash.schema import from_json_dict
    from clkhash.serialization import serialize_bitarray

    return [serialize_bitarray(clk) for clk in generate_clks(records, from_json_dict(schema), SECRET)]


def main():
    records = rows(40, 1)
    made = []
    for name, schema in cases().items():
        clk = clks(schema, records)
        digest = hashlib.sha256("".join(line + "\n" for line in clk).encode()).hexdigest()
        made.append({"name": name, "schema": schema, "first": clk[0], "sha256": digest})
    document = {"clkhash": "0.18.3", "secret": SECRET, "header": header(), "rows": records, "cases": made}
    place = pathlib.Path(__file__).parent / "cases.json"
    place.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
