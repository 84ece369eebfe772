# SPDX-License-Identifier: Apache-2.0
"""`takt hints` in C++: sections, monitors and methods of takt/takt.hpp, and what is not read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hints.programs import SERVER
from takt.declare import declaration
from takt.hints.apply import Found, apply
from takt.hints.command import application_of

SYSTEM = """
[build]
cxx_standard = 20
cxx_library = true
exceptions = true
rtti = true
"""
SYSTEM += SERVER + "".join(
    f"""
[[mutex]]
name = "{name}"
users = [{{ task = "server", hold = "50 us" }}]
"""
    for name in ("data", "other")
)
CODE = """#include "takt/takt.hpp"
#include "takt_app.h"

namespace
{
class Account
{
  public:
    void pay(unsigned amount)
    {
        takt::Section section(data);
        if (!section) {
            return;
        }
        total += amount;
    }
    unsigned total = 0;
};
Account mine;
struct Shape {
    virtual ~Shape() = default;
};
struct Tall : Shape {};
Shape *shape;
takt::Monitor<Account, other> account;
} // namespace

void server(void *)
{
    for (;;) {
        takt_job_wait();
        HERE
    }
}
"""
WAIT = "(void)takt_semaphore_wait(&go);"

POINTS = {
    "two": ("mine.pay(3); { takt::Section section(other); }", {"takt_job_wait": "&data"}),
    "a method": ("mine.pay(3);", {"takt_job_wait": "&data"}),
    "a monitor": (
        f"{WAIT} if (auto entry = account.enter()) {{ entry->pay(3); takt_delay(5); }}",
        {"takt_semaphore_wait": "&other", "takt_delay": "a mutex is held"},
    ),
    "a function in a monitor": (
        f"{WAIT} (void)account.call([](Account &owned) {{ owned.total++; }});",
        {"takt_semaphore_wait": "&other"},
    ),
    "behind a scope": (
        f"{{ takt::Section section(other); if (!section) {{ continue; }} }} {WAIT} mine.pay(1);",
        {"takt_job_wait": "&other", "takt_semaphore_wait": "&data"},
    ),
    "in a scope": (
        f"takt::Section section(other); {WAIT} mine.pay(1);",
        {"takt_job_wait": "&other", "takt_semaphore_wait": "a mutex is held"},
    ),
    "in the head of an if": (
        f"if (takt::Section section(other); section) {{ {WAIT} }} takt_delay(5); mine.pay(1);",
        {"takt_job_wait": "&other", "takt_semaphore_wait": "a mutex is held", "takt_delay": "&data"},
    ),
    "left early": (
        f"for (;;) {{ takt::Section section(other); mine.total++; break; }} {WAIT} mine.pay(1);",
        {"takt_semaphore_wait": "&data"},
    ),
    "a reference": (
        f"takt_mutex *lock = &data; takt_mutex *&same = lock; {WAIT} same = &other; takt::Section section(*lock);",
        {"takt_semaphore_wait": "`lock` may change through its address"},
    ),
    "one or the other": (
        f"{WAIT} if (mine.total) {{ mine.pay(1); }} else {{ takt::Section section(other); }}",
        {"takt_semaphore_wait": "but on another path `&other`"},
    ),
    "new": (f"{WAIT} mine = *new Account; mine.pay(1);", {"takt_semaphore_wait": "new, delete or throw"}),
    "throw": (f"{WAIT} if (mine.total) {{ throw 1; }} mine.pay(1);", {"takt_semaphore_wait": "new, delete or throw"}),
    "try": (f"{WAIT} try {{ mine.pay(1); }} catch (int) {{}}", {"takt_semaphore_wait": "a try block"}),
    "a cast": (
        f"{WAIT} mine.pay(dynamic_cast<Tall *>(shape) != nullptr);",
        {"takt_semaphore_wait": "&data"},
    ),
    "the head of a loop": (
        f"while (auto total = mine.total) {{ mine.total = total - 1; {WAIT} mine.pay(1); }}",
        {"takt_job_wait": "a variable in the head of a loop"},
    ),
}


def found(folder: Path, code: str) -> dict[str, str]:
    """The mutex, or the reason, of each point by the name of its call."""
    return {point.call: point.mutex or point.why for point in read(folder, code).points}


def read(folder: Path, code: str, early: bool = False) -> Found:
    (folder / "system.toml").write_text(SYSTEM)
    (folder / "app.cpp").write_text(code)
    tables = folder / "tables"
    tables.mkdir()
    return apply(application_of(declaration.load(folder / "system.toml"), tables), early)


@pytest.mark.parametrize("case", POINTS)
def test_what_comes_next_in_cxx(case: str, tmp_path: Path) -> None:
    body, wanted = POINTS[case]
    points = found(tmp_path, CODE.replace("HERE", body))
    assert {call: said for call, said in wanted.items() if said not in points.get(call, "")} == {}, points


@pytest.mark.parametrize(
    "unseen",
    [
        "struct Late { Late() { takt_delay(1); } };",
        "struct Late { ~Late() { mine.pay(1); } };",
        "template <class T> void late(T) { takt_delay(1); }",
        "struct Late { int operator()() { mine.pay(1); return 1; } };",
        "inline auto late = [] { takt::Section section(data); };",
        "inline int late(int value = takt_semaphore_wait(&go)) { return value; }",
    ],
)
def test_a_file_that_waits_where_no_call_is_written_is_not_read(unseen: str, tmp_path: Path) -> None:
    body = f"{unseen}\nvoid server"
    assert found(tmp_path, CODE.replace("void server", body).replace("HERE", "mine.pay(3);")) == {}


def test_unlocks_in_cxx_are_listed_and_stay(tmp_path: Path) -> None:
    plain = "if (takt_mutex_lock(&data) == TAKT_OK) { takt_work(9);\ntakt_mutex_unlock(&data); }"
    code = CODE.replace("HERE", f"{plain}\nauto in = account.enter();")
    seen = read(tmp_path, code, early=True)
    listed = {code.splitlines()[one.line - 1].strip(): one.why for one in seen.sections if not one.before}
    assert listed == {
        "takt::Section section(data);": "it is in C++, at the end of the scope",
        "takt_mutex_unlock(&data); }": "it is in C++",
        "auto in = account.enter();": "it is in C++, at the end of the scope",
    }
