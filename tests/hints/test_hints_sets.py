# SPDX-License-Identifier: Apache-2.0
"""`takt hints` inserts sets into an application; what code they are for: programs/set_*.c."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import Takt
from hints.programs import CODE, SYSTEM

TWO = """
    if (takt_mutex_lock(&data) == TAKT_OK) {
        if (takt_mutex_lock(&more) == TAKT_OK) {
            takt_mutex_unlock(&more);
        }
        takt_mutex_unlock(&data);
    }
"""


def with_two_mutexes(application: Path, text: str = SYSTEM) -> None:
    """A job that locks one mutex in another; each of its ends needs a set that stays."""
    more = '[[mutex]]\nname = "more"\nusers = [{ task = "reader", hold = "20 us", within = ["data"] }]\n'
    (application / "system.toml").write_text(f"{text}{more}")
    old = CODE[CODE.index("\n    if (") : CODE.index("    (void)takt_semaphore_post")]
    (application / "app.c").write_text(CODE.replace(old, TWO, 1))


def test_a_set_at_the_end_of_a_job_is_static(takt: Takt, application: Path) -> None:
    with_two_mutexes(application)
    document = json.loads(takt("hints", application, "--apply", "--json").out)
    point = next(point for point in document["places"] if point["call"] == "end of job")
    assert (point["outcome"], point["mutex"], point["set"], point["reason"]) == ("insert", "&data, &more", True, None)
    text = (application / "app.c").read_text()
    assert "    (void)takt_semaphore_post(&go);\n    TAKT_HINT_NEXT_SET_STATIC(&data, &more);\n}\n" in text
    document = json.loads(takt("hints", application, "--diff", "--json").out)
    assert [point["outcome"] for point in document["places"] if point["set"]] == ["kept"]
    assert takt("run", application, "--board", "host", "--duration", "50 ms").code == 0


def test_the_set_of_a_job_belongs_to_one_task(takt: Takt, application: Path) -> None:
    twin = '[[task]]\nname = "twin"\nentry = "reader"\nperiod = "10 ms"\nwcet = "100 us"\n'
    with_two_mutexes(application, SYSTEM + twin)
    point = next(line for line in takt("hints", application).out.splitlines() if "end of job" in line)
    assert "`&data`: the first of `&data, &more`, of which no set is named: `reader` may be run by several" in point


def test_mutexes_with_waiters_in_fifo_order_are_in_no_set(takt: Takt, application: Path) -> None:
    with_two_mutexes(application)
    text = (application / "system.toml").read_text()
    (application / "system.toml").write_text(text.replace('name = "more"', 'name = "more"\nwaiters = "fifo"'))
    point = next(line for line in takt("hints", application).out.splitlines() if "end of job" in line)
    assert point.endswith("app.c:13: end of job: `&data` (locked at app.c:6)")
