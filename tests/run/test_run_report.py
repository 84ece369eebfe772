# SPDX-License-Identifier: Apache-2.0
"""The page of a run: lanes reconstructed from events, limits of size, nothing fetched, and that a browser draws it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from running import only_full
from takt.report import lanes, plant
from takt.report import page as report_page
from takt.report.lanes import BLOCKED, READY, Piece
from takt.trace import records
from takt.trace.records import IDLE, NONE, TIMER, Entry, Event, Names, Trace
from takt.trace.replay import INTERRUPTS

NAMES = Names(
    "host",
    "edf",
    ("fast", "slow"),
    ("lock",),
    ({"kind": "edf", "tasks": ["fast", "slow"]},),
    kinds=("mutex",),
    deadlines_ns=(20, 27),
)


def trace(entries: list[Entry]) -> Trace:
    return Trace(NAMES, tuple(entries))


def event(time_ns: int, kind: Event, task: int = NONE, job: int | None = None, target: int = NONE) -> Entry:
    return Entry(time_ns, kind, task, job, None, target, 0)


PREEMPTION = [
    event(0, Event.RELEASE, 1, 0),
    event(0, Event.RUN, 1, 0),
    event(5, Event.LOCK, 1, 0, 0),
    event(10, Event.INTERRUPT, target=TIMER),
    event(11, Event.RELEASE, 0, 0),
    event(12, Event.INTERRUPT_END, target=TIMER),
    event(12, Event.RUN, 0, 0),
    event(20, Event.COMPLETE, 0, 0),
    event(20, Event.RUN, 1, 0),
    event(25, Event.UNLOCK, 1, 0, 0),
    event(28, Event.MISS, 1, 0),
    event(30, Event.COMPLETE, 1, 0),
    event(30, Event.RUN, IDLE),
    Entry(50, Event.STAT_END, NONE, None, None, NONE, 50),
]


def test_lanes_of_a_preemption() -> None:
    found = lanes.lanes(trace(PREEMPTION))
    assert found.pieces == {
        1: [Piece(0, 10, 0), Piece(20, 30, 0)],
        INTERRUPTS: [Piece(10, 12, TIMER)],
        0: [Piece(12, 20, 0)],
        IDLE: [Piece(30, 50, 0)],
    }
    assert [(job.number, job.release_ns, job.complete_ns, job.missed) for job in found.jobs[1]] == [(0, 0, 30, True)]
    assert found.holds == {1: [Piece(5, 25, 0)]}


def test_a_backlog_goes_on_without_being_dispatched() -> None:
    """A task that completes a job and begins the next at once: the kernel tells no RUN."""
    found = lanes.lanes(
        trace(
            [
                release(0, 0, 0, 20),
                event(0, Event.RUN, 0, 0),
                event(30, Event.COMPLETE, 0, 0),
                release(30, 0, 1, 40),
                event(45, Event.COMPLETE, 0, 1),
                event(45, Event.RUN, IDLE),
            ]
        )
    )
    assert found.pieces[0] == [Piece(0, 30, 0), Piece(30, 45, 1)]
    assert [job.release_ns for job in found.jobs[0]] == [0, 20]  # when it was due, not when it began


def test_an_interrupt_without_length_does_not_cut() -> None:
    entries = [event(0, Event.RUN, 0, 0), event(5, Event.INTERRUPT, target=TIMER), event(5, Event.INTERRUPT_END)]
    found = lanes.lanes(trace([*entries, event(9, Event.COMPLETE, 0, 0)]))
    assert found.pieces == {0: [Piece(0, 9, 0)]}


def release(time_ns: int, task: int, job: int, deadline_ns: int) -> Entry:
    return Entry(time_ns, Event.RELEASE, task, job, None, NONE, deadline_ns)


def test_a_release_lies_where_its_deadline_says() -> None:
    found = lanes.lanes(trace([release(0, 0, 0, 20), release(45, 0, 1, 60), release(70, 1, 0, 0)]))
    assert [(job.release_ns, job.deadline_ns) for job in found.jobs[0]] == [(0, 20), (40, 60)]
    assert [(job.release_ns, job.deadline_ns) for job in found.jobs[1]] == [(70, None)]  # not known


def test_states_and_inheritance() -> None:
    entries = [
        *PREEMPTION[:7],
        event(14, Event.BLOCK, 0, 0, 0),
        Entry(14, Event.KEY, 1, 0, None, 0, 0),
        event(14, Event.RUN, 1, 0),
        event(16, Event.UNLOCK, 1, 0, 0),
        event(16, Event.READY, 0, 0, 0),
        Entry(16, Event.KEY, 1, 0, None, NONE, 1),
        event(16, Event.LOCK, 0, 0, 0),
        event(16, Event.RUN, 0, 0),
        event(20, Event.COMPLETE, 0, 0),
        event(20, Event.RUN, 1, 0),
    ]
    found = lanes.lanes(trace(entries))
    assert found.states == {
        0: [Piece(11, 12, READY), Piece(14, 16, BLOCKED)],
        1: [Piece(12, 14, READY), Piece(16, 20, READY)],
    }
    assert found.heirs == {1: [Piece(14, 16, 0)]}


def busy(count: int, step_ns: int) -> list[Entry]:
    """`count` jobs of half a step each."""
    entries = []
    for job in range(count):
        start = job * step_ns
        entries += [event(start, Event.RELEASE, 0, job), event(start, Event.RUN, 0, job)]
        entries += [event(start + step_ns // 2, Event.COMPLETE, 0, job), event(start + step_ns // 2, Event.RUN, IDLE)]
    return entries


def test_shares_add_up() -> None:
    long = trace([*busy(1000, 8), Entry(8000, Event.STAT_END, NONE, None, None, NONE, 8000)])
    bins = lanes.bins(lanes.read(long), lanes.lanes(long), NAMES)
    assert bins["width"] == 4
    assert bins["shares"][0] == [99, 0] * 1000
    assert bins["shares"][3] == [0, 99] * 1000  # idle


def test_a_short_run_is_kept_whole_and_a_long_one_in_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = lanes.read(trace(busy(1000, 10)))
    assert lanes.windows(reader, None) == [(0, 9_995)]
    monkeypatch.setattr(lanes, "DETAIL_PIECES", 300)
    monkeypatch.setattr(lanes, "FIRST_NS", 100)
    monkeypatch.setattr(lanes, "AROUND_NS", 50)
    ((low, high),) = lanes.windows(reader, None)
    assert low == 0
    assert abs(high - 300 * 5) < 16  # a part of the time
    ((low, first),) = lanes.windows(reader, 500)
    assert abs(first - 1000) < 16
    assert lanes.windows(reader, 8000) == [(0, first), (7950, 8050)]
    assert lanes.windows(reader, 1020) == [(0, 1070)]


def test_what_is_drawn_of_a_span_is_what_is_drawn_of_the_whole() -> None:
    """Jobs that end behind it too; of misses elsewhere the first."""
    entries = [*busy(3000, 10), *(event(30_000 + at, Event.MISS, 0, 3000 + at) for at in range(2000))]
    every, some = lanes.lanes(trace(entries)), lanes.lanes(trace(entries), [(22_000, 23_003)])
    for name in ("pieces", "releases", "responses", "deadlines", "firstJob"):
        whole, part = (lanes.detail(one, NAMES, (22_000, 23_003))["lanes"][0][name] for one in (every, some))
        assert whole == part, name
    assert sum(len(pieces) for pieces in some.pieces.values()) < 250
    assert 1000 <= sum(job.missed for job in some.jobs[0]) <= 1012  # and the last ones


def test_differences_are_undone() -> None:
    found = lanes.lanes(trace(PREEMPTION))
    lane = lanes.detail(found, NAMES, (0, 50))["lanes"][1]
    assert lane["pieces"] == [0, 10, 0, 10, 10, 0]
    assert lane["releases"] == [0]
    assert lane["responses"] == [30]
    assert lane["missed"] == [0]


def page_data(page: str) -> dict[str, object]:
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert text is not None
    data: dict[str, object] = json.loads(text[1])
    return data


def test_the_page_fetches_nothing_and_names_cannot_break_it() -> None:
    names = Names("host", "edf", ("</script><b>", "slow"), (), ({"kind": "edf", "tasks": ["</script><b>", "slow"]},))
    page = report_page.trace_page(Trace(names, tuple(PREEMPTION)))
    assert not re.search(r"""(src|href)\s*=|url\(|@import|fetch\(|https?://(?!www\.w3\.org/2000/svg)""", page)
    assert page.count("</script>") == 2
    assert page_data(page)["end"] == 50


@only_full
def test_a_long_run_stays_small() -> None:
    page = report_page.trace_page(Trace(NAMES, tuple(busy(250_000, 1_234_567))))  # 10^6 events
    assert len(page) < 5_000_000


def samples(count: int) -> list[dict[str, float]]:
    fields = {"altitude": 100.0, "commanded_altitude": 110.0, "roll": 1.0, "pitch": 2.0, "wind_north": 3.0}
    return [
        {"t": i / 10, "north": float(i), "east": float(-i), "heading": (i * 40.0) % 360, **fields} for i in range(count)
    ]


def test_plots_by_the_names_of_the_samples() -> None:
    plots = plant.plots({"trajectory": samples(20), "windows": [{"name": "hold", "from_s": 0.5, "to_s": 1.0}]})
    assert plots["map"]["y"][5] == 5.0
    titles = {plot["title"]: [one["name"] for one in plot["series"]] for plot in plots["times"]}
    assert titles == {
        "heading": ["heading"],
        "altitude": ["altitude", "commanded altitude"],
        "attitude": ["roll", "pitch"],
        "wind": ["north"],
    }
    assert plots["times"][0]["series"][0]["y"][:12] == [i * 40.0 for i in range(12)]  # no jump at north
    assert plots["windows"][0]["name"] == "hold"


def test_a_plant_without_samples_and_a_long_one() -> None:
    assert plant.plots({}) == {"map": None, "times": [], "windows": []}
    assert len(plant.plots({"trajectory": samples(10_000)})["map"]["t"]) <= plant.SAMPLES_MAX


def test_figures_carry_their_units() -> None:
    report = {"climb_m": 110.25, "speed_error_m_s_max": 0.5, "commands_sent": 3, "success": True, "digest": "00"}
    assert plant.figures(report) == [("climb", "110.25 m"), ("speed error max", "0.5 m/s"), ("commands sent", "3")]


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
def test_a_browser_draws_it(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text(report_page.trace_page(Trace(NAMES, tuple(PREEMPTION))), encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile", "--dump-dom"]
    done = subprocess.run(["chromium", *options, path.as_uri()], capture_output=True, text=True, timeout=60, check=True)
    span = re.search(r'<span id="span">(.*?)</span>', done.stdout)
    assert span is not None
    assert span[1].startswith("0.000 ms to ")  # drawing came to its end
    assert "band 1, edf" in done.stdout


def test_the_command_writes_a_page(tmp_path: Path) -> None:
    from takt import cli

    records.write(tmp_path / "t.takt", NAMES, records.encode(PREEMPTION))
    assert cli.main(["trace", str(tmp_path / "t.takt"), "--html", str(tmp_path / "t.html")]) == 0
    assert "<!doctype html>" in (tmp_path / "t.html").read_text()
