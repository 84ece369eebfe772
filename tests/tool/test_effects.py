# SPDX-License-Identifier: Apache-2.0
"""Every key of system.toml, and every word that a key may be, has an effect: on the proof or on what is generated."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from running import FULL
from takt.declare import declaration, tables
from takt.declare.schema.kinds import BOOLEAN, NAME, Key, Table
from takt.image import protected
from takt.image.application import cmake
from takt.image.tables import generate, process_code
from takt.prove.proof import prove
from takt.reflect import admit, keys, plan
from takt.report import advice
from takt.support.errors import UserError
from takt.support.provision import ROOT

HERE = Path(__file__).parent
NAMES = ("build", "can", "channels", "console", "heap", "queues", "threads")
FILES = ("effects", *(f"effects_{name}" for name in NAMES))
EFFECTS, *MORE = (tomllib.loads((HERE / f"{name}.toml").read_text()) for name in FILES)
for file in MORE:
    EFFECTS["elsewhere"] |= file.get("elsewhere", {})
SETS = [*EFFECTS["set"], *(one for file in MORE for one in file["set"])]
SOURCES = {"app.c": "", "works.c": "void w(void) { takt_work(1); }\n", **dict.fromkeys(("one.c", "two.c", "m.h"), "")}
SOURCES |= {"headers/h.h": "", "libx.a": ""}
SOURCES |= {"bus.csv": "name,id,sender,bytes,period_ms\nlamp,0x50,rear,8,40\n"}
PROVED = ("wcet", "budget", "hold", "suspension", "jitter", "deadline")  # what such keys do is in the proof, too
# The words that the tests there have.
ELSEWHERE: dict[str, set[str | bool]] = {
    "can.variants": {True},
    "shared.kernel": {True},
    "server.kind": {"deferrable", "polling", "sporadic"},
    "task.no_heap": {True},
}


def declared(table: Table) -> Iterator[tuple[str, Key]]:
    """Every key of a table and of those inside it, but the names."""
    for key in table.keys:
        if key is not NAME:
            yield f"{table.name}.{key.name}", key
        if key.table is not None:
            yield from declared(key.table)


KEYS = dict(pair for table in tables.TABLES for pair in declared(table))


def words(key: Key) -> tuple[str | bool, ...]:
    """What it may be, where that is one of some."""
    return (True, False) if key.kind is BOOLEAN else key.kind.words


def values(document: Any, where: str = "") -> Iterator[tuple[str, Any]]:
    """The keys of a document as `KEYS` has them, with what they are."""
    for name, value in document.items():
        if isinstance(value, dict):
            yield from values(value, name)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            if where:
                yield f"{where}.{name}", value
            for one in value:
                yield from values(one, name)
        else:
            yield f"{where}.{name}", value


def seen(folder: Path, text: str) -> dict[str, str]:
    """What comes of a declaration: the proof, and every file that is generated."""
    (folder / "headers").mkdir(exist_ok=True)
    for name, content in SOURCES.items():
        (folder / name).write_text(content, encoding="utf-8")
    (folder / "system.toml").write_text(text, encoding="utf-8")
    if "[[node]]" in text:
        plant = admit.load(str(folder))
        verdict, results = admit.judge(plant)
        found: dict[str, keys.Keys] = {}
        plans = {node.name: plan.text(plant, results, node.name, found, 80) for node in plant.nodes}
        return {"proof": json.dumps(admit.document(plant, verdict, results), sort_keys=True), **plans}
    proved = prove(declaration.load(folder / "system.toml"))
    out = folder / "generated"
    out.mkdir(exist_ok=True)
    for path in out.iterdir():
        path.unlink()
    generate.generate_proved(proved, out)
    cmake.write(proved.system, proved.board, out)
    files = {path.name: path.read_text(encoding="utf-8") for path in out.iterdir()}
    if proved.system.protection:
        files["processes"] = "\n".join(process_code.tables(proved.system, process_code.Sizes.unknown(), 0, True))
        files["build"] = json.dumps(protected.settings(proved, out))
    proof = json.dumps(advice.document(proved, wanted=False), sort_keys=True)
    return {name: re.sub(r"[0-9a-f]{16}", "HASH", each) for name, each in {"proof": proof, **files}.items()}


@pytest.mark.parametrize("of", SETS, ids=lambda of: of["name"])
def test_each_row_shows_an_effect(of: dict[str, Any], tmp_path: Path) -> None:
    text = of["text"]
    without = seen(tmp_path, text)
    before = list(values(tomllib.loads(text)))
    wrong = []
    for key, find, put, *also in of["rows"][:: 1 if FULL else 2]:
        assert find in text, f"{key}: {find}"
        with_key = text.replace(find, put)
        after = list(values(tomllib.loads(with_key)))
        other = {name for name, value in (*before, *after) if before.count((name, value)) != after.count((name, value))}
        refused = also.pop().removeprefix("refused: ") if also and also[-1].startswith("refused: ") else None
        try:
            now = seen(tmp_path, with_key)
            proved = now["proof"] != without["proof"] or not key.endswith(PROVED)
            effect = now != without and proved and refused is None
        except UserError as error:
            if refused is None or refused not in str(error):
                wrong.append(f"{key}: {put}: {error}")
            continue
        if other != {key, *also}:
            wrong.append(f"{key}: {sorted(other)} differ, not it and {also}")
        if not effect:
            wrong.append(f"{key}: {put}: nothing comes of it")
    assert wrong == []


def test_every_key_has_a_row() -> None:
    rows = {row[0] for of in SETS for row in of["rows"]}
    assert rows | EFFECTS["elsewhere"].keys() == KEYS.keys(), "a row in tests/tool/effects*.toml for each key"
    assert not rows & EFFECTS["elsewhere"].keys()


def test_every_word_that_a_key_may_be_is_seen() -> None:
    found: dict[str, set[Any]] = {name: set(there) for name, there in ELSEWHERE.items()}
    for of in SETS:
        for key, find, put, *_ in of["rows"]:
            for text in (of["text"], of["text"].replace(find, put)):
                there = [value for name, value in values(tomllib.loads(text)) if name == key]
                found.setdefault(key, set()).update(value for value in there if isinstance(value, str | bool))
    missing: dict[str, set[Any]] = {}
    for name, key in KEYS.items():
        default = (key.default,) if key.kind is not BOOLEAN else (bool(key.default),)
        left = set(words(key)) - found.get(name, set()) - set(default)
        missing |= {name: left} if left else {}
    assert missing == {}, "a row in tests/tool/effects*.toml for each word"


@pytest.mark.parametrize("key", EFFECTS["elsewhere"])
def test_what_is_shown_elsewhere_is(key: str) -> None:
    file, _, name = EFFECTS["elsewhere"][key].partition("::")
    assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")


def test_a_system_is_called_by_its_name(takt: Takt, tmp_path: Path) -> None:
    for name, head in (("", tmp_path.name), ('name = "lamp"\n', "lamp")):
        text = f'[system]\nboard = "host"\n{name}[[task]]\nname = "a"\nperiod = "10 ms"\nwcet = "1 ms"\n'
        (tmp_path / "system.toml").write_text(text, encoding="utf-8")
        assert takt("check", tmp_path).out.startswith(f"{head} on host")
