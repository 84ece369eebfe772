# SPDX-License-Identifier: Apache-2.0
"""`takt hints --early`: unlocks before what needs no mutex, what stays and why, and what that is worth."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from takt.hints import apply as hints_apply
from takt.hints.apply import ODD, Application, Found, apply
from takt.hints.release import Section

HEAD = """#include "takt/takt.h"

static TAKT_MUTEX_DEFINE(a, 1);
static TAKT_MUTEX_DEFINE(b, 2);
static struct takt_mutex *chosen = &a;
static struct takt_mutex each[3];
static volatile unsigned sensor;
static unsigned shared, several[3];
static const unsigned table[] = {3, 1, 2};

struct pair {
    unsigned left, right[2];
};

static unsigned root(unsigned value)
{
    unsigned found = 0;
    while (found * found < value) {
        found++;
    }
    return found < 7 ? found : table[found % 3];
}

static unsigned noted(unsigned value)
{
    static unsigned last;
    return value + last++;
}

static unsigned deep(unsigned value)
{
    return noted(value) + 1;
}
"""
BEGIN = """
void NAME(void *argument)
{
    (void)argument;
    unsigned value = 3, taken = 4, i = 1;
    struct pair pair = {1, {2, 3}};
    unsigned *pointer = &taken;
    (void)i, (void)pointer, (void)pair, (void)several, (void)sensor, (void)deep, (void)root, (void)chosen, (void)each;
"""
NEED = "    shared = value;\n"
UNLOCK = "    takt_mutex_unlock(&a);\n"

EARLY = {
    "time": ["takt_work(100);"],
    "a function": ["value = root(value) + table[1];"],
    "a loop": ["for (unsigned n = 0; n < 9; n++) {", "    if (n == value) {", "        break;", "    }", "}"],
    "a structure": ["pair.right[i] = root(pair.left);"],
    "a choice": ["switch (value) {", "case 1:", "    value = root(2);", "    break;", "default:", "    break;", "}"],
    "several": ["value++;", "/* how far */", "takt_work(value);", "if (value > 4) {", "    value = 0;", "}"],
}
LEFT = {
    "a variable of others": ("    value = root(shared);\n", "uses `shared`, which other tasks may reach"),
    "an array of others": ("    takt_work(several[i]);\n", "uses `several`, which other tasks may reach"),
    "an address": ("    taken = root(2);\n", "uses `taken`, whose address is taken"),
    "a pointer": ("    takt_work(*pointer);\n", "uses memory through a pointer"),
    "an element of a pointer": ("    takt_work(pointer[0]);\n", "uses memory through a pointer"),
    "a device": ("    takt_work(sensor);\n", "uses a volatile object"),
    "a function with memory": ("    value = deep(value);\n", "calls `deep`: line 32 calls `noted`: line 26"),
    "a call": ("    value = (unsigned)takt_now();\n", "calls `takt_now`, of which it is not known what it uses"),
    "a return": ("    if (value == root(3)) {\n        return;\n    }\n", "leaves the block"),
    "little": ("    value++;\n", "takes no time that matters"),
    "nothing": ("", "uses `shared`"),
    "a directive": ("#if 1\n    takt_work(3);\n#endif\n", "a directive of the preprocessor is between"),
    "assembler": ('    takt_work(3);\n    __asm__ volatile("");\n', "of a kind that is not followed"),
}


def function(name: str, body: str) -> str:
    return f"{BEGIN.replace('NAME', 'case_' + name.replace(' ', '_'))}{body}}}\n"


def found(tmp_path: Path, body: str) -> Found:
    path = tmp_path / "app.c"
    path.write_text(HEAD + function("job", body), encoding="utf-8")
    return apply(Application((path,), preset="debug"), early=True)


def section(rest: str, need: str = NEED, unlock: str = UNLOCK) -> str:
    return f"    takt_mutex_lock(&a);\n{need}{rest}{unlock}"


@pytest.fixture(scope="module")
def all_cases(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Section], str]:
    """The sections of EARLY and LEFT by function, and the file with their unlocks moved."""
    path = tmp_path_factory.mktemp("early") / "app.c"
    bodies = {name: "".join(f"    {line}\n" for line in lines) for name, lines in EARLY.items()}
    bodies |= {name: rest for name, (rest, _) in LEFT.items()}
    path.write_text(HEAD + "".join(function(name, section(rest)) for name, rest in bodies.items()), encoding="utf-8")
    seen = apply(Application((path,), preset="debug"), early=True)
    path.write_bytes(seen.after[path])
    assert not apply(Application((path,), preset="debug"), early=True).after
    return {one.function.removeprefix("case_").replace("_", " "): one for one in seen.sections}, seen.after[
        path
    ].decode()


@pytest.mark.parametrize("name", EARLY)
def test_an_unlock_goes_before_what_needs_no_mutex(name: str, all_cases: tuple[dict[str, Section], str]) -> None:
    rest = "".join(f"    {line}\n" for line in EARLY[name])
    assert function(name, f"    takt_mutex_lock(&a);\n{NEED}{UNLOCK}{rest}") in all_cases[1]


@pytest.mark.parametrize(("name", "why"), [(name, why) for name, (_, why) in LEFT.items()], ids=LEFT)
def test_an_unlock_stays_and_says_why(name: str, why: str, all_cases: tuple[dict[str, Section], str]) -> None:
    assert all_cases[0][name].before == 0
    assert why in all_cases[0][name].why
    assert function(name, section(LEFT[name][0])) in all_cases[1]


def test_two_unlocks_keep_their_order(tmp_path: Path) -> None:
    body = f"    takt_mutex_lock(&a);\n    takt_mutex_lock(&b);\n{NEED}"
    first, last = "    takt_work(1);\n", "    takt_work(2);\n"
    seen = found(tmp_path, f"{body}{first}    takt_mutex_unlock(&b);\n{last}{UNLOCK}")
    text = seen.after[tmp_path / "app.c"].decode()
    assert text == HEAD + function("job", f"{body}    takt_mutex_unlock(&b);\n{UNLOCK}{first}{last}")


def test_the_mutex_is_the_same_before(tmp_path: Path) -> None:
    """Its name may depend on what it would precede; one in memory is not named twice."""
    seen = found(tmp_path, section("    i = root(1);\n", unlock="    takt_mutex_unlock(&each[i]);\n"))
    assert "changes which mutex it is" in seen.sections[0].why
    seen = found(tmp_path, section("    takt_work(1);\n", unlock="    takt_mutex_unlock(chosen);\n"))
    assert "may change while the task waits" in seen.sections[0].why


def test_a_case_is_not_passed(tmp_path: Path) -> None:
    body = f"    takt_mutex_lock(&a);\n    switch (value) {{\n    case 1:\n        takt_work(1);\n    {UNLOCK}    }}\n"
    assert "can be reached by a jump" in found(tmp_path, body).sections[0].why


def test_a_break_is_not_passed(tmp_path: Path) -> None:
    leaves = "        if (value > 7) {\n            break;\n        }\n        takt_work(1);\n"
    last = leaves.replace("value > 7", "value == root(1)").replace("takt_work(1);", "takt_mutex_unlock(&a);")
    seen = found(tmp_path, f"    while (i > 0) {{\n        takt_mutex_lock(&a);\n{leaves}{last}    }}\n")
    assert "leaves the block" in seen.sections[0].why


def test_an_unlock_that_shares_its_line_stays(tmp_path: Path) -> None:
    seen = found(tmp_path, section("    takt_work(1);\n", unlock="    takt_mutex_unlock(&a); value++;\n"))
    assert seen.sections[0].why == "it shares its line, or what it would precede does"


ELSEWHERE = """
    struct takt_mutex *m = &b, *other = &a;
    (void)m;
    while (i-- > 0) {
        takt_mutex_lock(&a);
        shared = value;
        switch (root(value)) {
        case 1:
            continue;
        default:
            takt_mutex_unlock(&b);
        }
        takt_mutex_unlock(&a);
    }
    {
        takt_mutex_lock(&a);
        shared = value;
        struct takt_mutex *m = other;
        (void)root(value);
        takt_mutex_unlock(m);
    }
    if (value)
        takt_mutex_unlock(&a);
    takt_work(1), takt_mutex_unlock(&a);
"""
WITHOUT = "it has a label or no braces around it, or is in an expression"


def test_every_unlock_is_listed(tmp_path: Path) -> None:
    """A `continue` may leave a loop that is not passed; a variable is not named before it is declared."""
    first = (HEAD + BEGIN).count("\n") + 1
    sections = found(tmp_path, ELSEWHERE).sections
    listed = {one.line - first: (one.before and one.before - first, one.why) for one in sections}
    assert listed == {
        10: (0, WITHOUT),
        12: (0, f"line {first + 8} leaves the block"),
        19: (18, ""),
        22: (0, WITHOUT),
        23: (0, WITHOUT),
    }


def test_an_unlock_goes_behind_a_comment(tmp_path: Path) -> None:
    need = "    shared = value; /* of others\n" + "                       on */ // in two \\\n lines\n"
    seen = found(tmp_path, section("    takt_work(1);\n", need=need))
    text = seen.after[tmp_path / "app.c"].decode()
    assert text == HEAD + function("job", f"    takt_mutex_lock(&a);\n{need}{UNLOCK}    takt_work(1);\n")


def test_what_is_not_found_again_is_not_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints_apply, "moved", lambda text, sections: text.replace(b"    takt_mutex_unlock(&a);\n", b""))
    seen = found(tmp_path, section("    takt_work(1);\n"))
    assert [one.why for one in seen.sections] == [ODD]
    assert not seen.after


SYSTEM = """
[system]
board = "host"
scheduler = "edf"
duration = "100 ms"

[[task]]
name = "fast"
entry = "fast"
period = "5 ms"
offset = "500 us"
deadline = "700 us"
wcet = "300 us"

[[task]]
name = "slow"
entry = "slow"
period = "50 ms"
wcet = "2 ms"

[[mutex]]
name = "data"
users = [{ task = "fast", hold = "100 us" }, { task = "slow", hold = "HOLD" }]
"""
CODE = """#include "takt_app.h"

static unsigned shared;

void fast(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&data) == TAKT_OK) {
        takt_work(TAKT_US(100));
        shared++;
        takt_mutex_unlock(&data);
    }
    takt_work(TAKT_US(200));
}

void slow(void *argument)
{
    (void)argument;
    if (takt_mutex_lock(&data) == TAKT_OK) {
        takt_work(TAKT_US(100));
        shared++;
        takt_work(TAKT_US(900));
        takt_mutex_unlock(&data);
    }
}
"""


@pytest.fixture
def application(tmp_path: Path) -> Path:
    (tmp_path / "system.toml").write_text(SYSTEM.replace("HOLD", "100 us"))
    (tmp_path / "app.c").write_text(CODE)
    return tmp_path


def test_a_system_with_early_unlocks_is_proved_and_keeps_its_bounds(takt: Takt, application: Path) -> None:
    """With the sections as they are it is refuted, and a shorter hold that they do not keep shows in the run."""
    (application / "system.toml").write_text(SYSTEM.replace("HOLD", "1 ms"))
    assert takt("check", application).code == 1
    (application / "system.toml").write_text(SYSTEM.replace("HOLD", "100 us"))
    assert takt("check", application).code == 0
    assert takt("run", application).code == 1
    assert takt("hints", application, "--early", "--apply").code == 0
    said = takt("run", application)
    assert said.code == 0, said.out


def test_it_lists_sections_only_if_asked(takt: Takt, application: Path) -> None:
    assert "unlock" not in takt("hints", application).out
    lines = takt("hints", application, "--early").out.splitlines()
    assert (
        f"left  {application}/app.c:11: unlock of `&data`: line 10 uses `shared`, which other tasks may reach" in lines
    )
    assert f"early {application}/app.c:23: unlock of `&data`: before line 22, which needs no mutex" in lines
    assert "2 sections: 1 can end earlier, 1 left alone" in lines
    assert (application / "app.c").read_text() == CODE
    said = takt("hints", application, "--early", "--diff")
    assert said.code == 1
    assert "\n+        takt_mutex_unlock(&data);\n         takt_work(TAKT_US(900));\n" in said.out


def test_json(takt: Takt, application: Path) -> None:
    document = json.loads(takt("hints", application, "--early", "--json").out)
    assert set(keys(document)) == documented("hints")
    assert [(one["line"], one["outcome"], one["before"]) for one in document["sections"]] == [
        (11, "left", None),
        (23, "early", 22),
    ]
    assert json.loads(takt("hints", application, "--json").out)["sections"] == []
