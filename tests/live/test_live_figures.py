# SPDX-License-Identifier: Apache-2.0
"""What `--live` shows, held against the figures that the kernel keeps, on traces of runs."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from command_line import Takt
from rich.console import Console
from rich.live import Live
from running import APPS
from takt.image import build
from takt.observe import log_texts
from takt.observe.live.figures import Figures
from takt.observe.live.view import LiveView
from takt.observe.run import load
from takt.prove.proof import Proved
from takt.support import console
from takt.trace import records
from takt.trace.records import NONE, Decoder, Entry, Event, Trace, encode
from takt.trace.replay import History, times
from takt.trace.segments import read

LATE = """
[system]
board = "host"
duration = "3 s"

[[task]]
name = "often"
period = "7 ms"
wcet = "3 ms"

[[task]]
name = "late"
period = "10 ms"
deadline = "9 ms"
wcet = "6 ms"
"""
PERIODS_MS = {
    **{"often": 7, "late": 10},
    **{f"t{index}": ms for index, ms in enumerate((4, 5, 6, 7, 8, 20, 30, 50, 100, 130), 1)},
}


@pytest.fixture(scope="module", params=["troublesome", "late"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """The trace of a run of 3 s."""
    from takt import cli

    folder = APPS / "troublesome"
    if request.param == "late":
        folder = tmp_path_factory.mktemp("late")
        (folder / "system.toml").write_text(LATE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        builds = tmp_path_factory.mktemp("builds")
        patch.setattr(build, "BUILD", builds)
        cli.main(["run", str(folder), "--board", "host", "--force", "--duration", "3 s"])
        (path,) = builds.glob("*/run/trace.takt")
        return read(path)


def stepped(trace: Trace) -> Figures:
    figures = Figures(trace.names)
    for entry in trace.entries:
        figures.step(entry)
    return figures


def test_jobs_misses_and_responses(run: Trace) -> None:
    figures = stepped(run)
    for index, task in enumerate(figures.tasks):
        assert task.jobs == run.statistic(Event.STAT_JOBS, index)
        assert task.response_ns_max == run.statistic(Event.STAT_RESPONSE_MAX, index)
        deadline_ns, period_ns = run.names.deadline_ns(index) or 0, PERIODS_MS[run.names.tasks[index]] * 1_000_000
        due = (3_000_000_000 - 1 - deadline_ns) // period_ns + 1
        late = sum(deadline < 3_000_000_000 for _, deadline in task.begun.values() if deadline is not None)
        late += max(due - task.jobs - len(task.begun), 0)  # releases behind unfinished jobs: of them no record tells
        assert (run.statistic(Event.STAT_MISSES, index) or 0) == task.misses + late
        assert task.margin_ns_min == deadline_ns - (task.response_ns_max or 0)


def test_loads_of_a_second(run: Trace) -> None:
    """Those of the third second, against the times that the report shows."""
    figures = Figures(run.names)
    for entry in run.entries:
        figures.step(entry)
    end_ns = 3_000_000_000
    figures.pass_to(end_ns)

    def spent(until_ns: int) -> list[int]:
        part = [entry for entry in run.entries if entry.time_ns <= until_ns and entry.event < Event.STAT_JOBS]
        end = Entry(until_ns, Event.STAT_END, NONE, None, None, NONE, until_ns)
        return [one.executed_ns for one in times(History([*part, end], run.names).reader, run.names)]

    for index, (before, after) in enumerate(zip(spent(2_000_000_000), spent(end_ns), strict=True)):
        assert abs(figures.load(index) - (after - before) / 1e9) < 1e-6


def test_records_in_parts_are_the_same_events(run: Trace) -> None:
    """Cut wherever a batch may end, which is between the records of one event too."""
    chance = random.Random(7)
    far = [
        Entry(5, Event.RELEASE, 0, 0, 0, NONE, 1 << 40),
        Entry(6, Event.RUN, 0, 0, 0, NONE, 0),
        Entry(7, Event.LOG, 0, None, None, NONE, 9, (1, 2, 3, 4, 5, 6)),
        Entry(1 << 34, Event.LOG, 0, None, None, NONE, 9, (1, 2)),
    ]
    data = (
        encode([*far, *run.entries[:2000]])
        if run.entries[0].time_ns >= 1 << 34
        else encode(far)
        + encode(
            entry._replace(time_ns=entry.time_ns + (1 << 35))
            for entry in run.entries[:2000]
            if entry.event < Event.STAT_JOBS
        )
    )
    whole = list(records.decode(data))
    assert len(whole) > 1000
    for size_max in (1, 2, 3, 64):
        decoder, at = Decoder(), 0
        found: list[Entry] = []
        while at < len(data):
            size = chance.randint(1, size_max) * records.RECORD_SIZE
            found += decoder.feed(data[at : at + size])
            at += size
        found += decoder.feed(b"", last=True)
        assert found == whole


def test_a_slow_terminal_does_not_hold_the_run(
    tmp_path: Path, alone: Proved, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 60 s, in which each drawing takes 2 s, four parts of five are the run's."""
    now_s, drawings = 1000.0, 0

    def draw(*_: object, **__: object) -> None:
        nonlocal now_s, drawings
        now_s, drawings = now_s + 2.0, drawings + 1

    terminal = Console(width=100, height=20, force_terminal=True, highlight=False)
    monkeypatch.setattr(console, "err", lambda: terminal)
    monkeypatch.setattr(Live, "update", draw)
    with LiveView(alone, tmp_path / "image", tmp_path / "said", None) as shown:
        monkeypatch.setattr("takt.observe.live.view.time.monotonic", lambda: now_s)
        while now_s < 1060.0:
            shown.refresh(0)
            now_s += 0.05
        monkeypatch.undo()
    assert drawings == 6


def test_a_narrow_screen_has_fewer_columns(
    tmp_path: Path, alone: Proved, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is shown is whole, down to the name of a task and its misses."""
    found = {}
    for width in (14, 22, 40, 100):
        terminal = Console(width=width, height=20, force_terminal=True, highlight=False, color_system=None)
        monkeypatch.setattr(console, "err", lambda terminal=terminal: terminal)
        with LiveView(alone, tmp_path / "image", tmp_path / "said", None) as shown:
            shown.refresh(0)
        lines = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", capfd.readouterr().out).splitlines()
        found[width] = next(line.split() for line in lines if line.startswith("task"))
        assert any(line.startswith("alone ") for line in lines)
    assert found == {
        14: ["task", "misses"],
        22: ["task", "misses", "margin"],
        40: ["task", "load", "misses", "response", "margin"],
        100: ["task", "load", "jobs", "misses", "response", "bound", "margin", "deadline"],
    }


def test_a_screen(
    tmp_path: Path, takt: Takt, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal: a row for each task that there is room for, those in trouble first; red what is over its bound."""
    many = "".join(f'[[task]]\nname = "t{index}"\nperiod = "{100 + index} ms"\nwcet = "10 us"\n' for index in range(30))
    (tmp_path / "system.toml").write_text(f'[system]\nboard = "host"\n{many}', encoding="utf-8")
    proved = load(str(tmp_path), None, None, "measured")
    terminal = Console(width=100, height=20, force_terminal=True, highlight=False, color_system="standard")
    monkeypatch.setattr(console, "err", lambda: terminal)
    monkeypatch.setattr(log_texts, "of_image", lambda names, _image: names)
    with LiveView(proved, tmp_path / "image", tmp_path / "said", 10**9) as shown:
        for index in (28, 29):
            shown.step(Entry(0, Event.RELEASE, index, 0, 0, NONE, (100 + index) * 10**6))
        shown.step(Entry(50 * 10**6, Event.COMPLETE, 29, 0, 0, NONE, 0))
        shown.step(Entry(128 * 10**6, Event.MISS, 28, 0, 0, NONE, 0))
        (tmp_path / "said").write_text("[red]text\nunfinished", encoding="utf-8")
        shown.refresh(200 * 10**6)
    out = capfd.readouterr().out
    plain = out.replace("\x1b", "")
    assert "| [red]text" in plain
    assert "| unfinished" in plain
    assert "0.2 s of 1 s" in plain
    assert "... 18 more tasks, whose least margins are larger" in plain
    *_, first, last = [
        line for line in out.splitlines() if line.lstrip("\x1b[0123456789;mK").startswith(("t28 ", "t29 "))
    ]
    assert "\x1b[1;31m1\x1b" in first
    assert "\x1b[1;31m50 ms\x1b" in last
