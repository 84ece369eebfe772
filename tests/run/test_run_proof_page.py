# SPDX-License-Identifier: Apache-2.0
"""The page of a proof: what it says is what was proved, nothing breaks it, and a browser draws it, a narrow one too."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from running import APPS, only_full
from takt.commands.report import collect
from takt.declare import declaration
from takt.declare.schema.model import System, Verdict
from takt.declare.service_kinds.mutex import Mutex
from takt.prove.proof import Proved, prove
from takt.report import busy, demand, load_breakdown, proof
from takt.support.durations import brief
from takt.trace.records import Event

NARROW = 380

REFUTED = """
[system]
board = "mps2-an385"
scheduler = "edf"
[[task]]
name = "control"
period = "10 ms"
deadline = "8 ms"
wcet = "6 ms"
[[task]]
name = "filter"
period = "15 ms"
deadline = "9 ms"
wcet = "3 ms"
[[task]]
name = "report"
wcet = "1 ms"
"""


class Page(HTMLParser):
    """Tables as lists of texts, under the heading of their section; texts of sections; attributes that fetch."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.texts: dict[str, str] = {}
        self.fetched: list[str] = []
        self.open: list[str] = []
        self.heading = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.fetched += [name for name, value in attributes if name in ("src", "href", "srcset", "data") and value]
        if tag not in ("meta", "i", "path", "line", "rect"):
            self.open.append(tag)
        if tag == "h2":
            self.heading = ""
        elif tag == "tr":
            self.tables.setdefault(self.heading, []).append([])
        elif tag in ("td", "th"):
            self.tables[self.heading][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, text: str) -> None:
        if "h2" in self.open:
            self.heading += text
        elif "td" in self.open:
            self.tables[self.heading][-1][-1] += text
        self.texts[self.heading] = self.texts.get(self.heading, "") + text

    def row(self, heading: str, first: str) -> list[str]:
        return next(row for row in self.tables[heading] if row and row[0] == first)


def proved(application: str | Path, scheduler: str | None = None, board: str | None = None) -> Proved:
    return prove(declaration.with_board(declaration.load(declaration.find(str(application))), board), scheduler)


def drawn(found: Proved) -> str:
    return proof.page(found, collect(found, False))


def table_of(name: str) -> str:
    return str(APPS / name)


def test_a_proved_system_is_described_as_it_was_proved() -> None:
    found = proved(table_of("avionics"))
    page = Page(drawn(found))
    for task in found.system.tasks:
        row = page.row("Response times", task.name)
        assert row[2] == brief(found.responses_ns[task.name] or 0)
        assert row[-1] == "holds"
    assert "Proved: every deadline holds" in page.texts[""]
    assert "Where demand exceeds the available time" not in page.texts
    assert page.row("Sensitivity", "weapon_release")[2] != ""
    assert "the one with the least kernel time" in page.texts["Bands"]
    kernel = {row[0]: row[2:4] for row in page.tables["Bands"] if row and row[0]}
    assert kernel["dm"][1] == "holds"
    assert kernel["rm"][1] == "misses"
    assert float(kernel["dm"][0].rstrip("%")) < float(kernel["edf"][0].rstrip("%"))


def test_a_refuted_system_says_what_misses_and_what_mends_it(application: Callable[..., Path]) -> None:
    found = proved(application(REFUTED))
    page = Page(drawn(found))
    assert "Refuted: in the edf band of control, filter" in page.texts[""]
    assert page.row("Response times", "filter")[-1] == "misses"
    assert page.row("Response times", "filter")[4].startswith("-")
    assert page.row("Response times", "report")[-1] == "background"
    assert "at 9 ms the demand exceeds the available time" in page.texts["Where demand exceeds the available time"]
    assert "The smallest change that proves it" in page.texts["Changes with which the proof holds"]
    assert "filter misses its deadline at 9 ms" in page.texts["The longest busy period"]
    assert "Sensitivity" not in page.tables


def test_the_curves_cross_where_the_analysis_says(application: Callable[..., Path]) -> None:
    found = proved(application(REFUTED))
    curves = demand.excess(found)
    assert curves is not None
    at = re.search(r"up to t = 9 ms need ([\d.]+) us, but only ([\d.]+) us fits", found.reason())
    assert at is not None
    assert max(ns for t, ns in curves.needed if t == curves.at_ns) == float(at[1]) * 1000
    assert max(ns for t, ns in curves.fits if t == curves.at_ns) == float(at[2]) * 1000
    assert demand.excess(proved(table_of("troublesome"), "edf")) is None


SYSTEMS = [
    ("flight", None),
    ("avionics", "csd3"),
    ("troublesome", "rm"),
    ("troublesome", "cooperative"),
    ("telecom", None),
]


@pytest.mark.parametrize(("name", "scheduler"), SYSTEMS)
def test_shares_add_up_to_the_load(name: str, scheduler: str | None) -> None:
    found = proved(table_of(name), scheduler)
    assert sum(load_breakdown.shares(found).values(), Fraction(0)) == found.choice.proof.load
    if found.overheads is not None and found.system.tasks[0].period_ns:
        assert load_breakdown.shares(found)["releases"] > 0


BUDGET = """
[system]
board = "BOARD"
scheduler = "dm"
[[task]]
name = "control"
period = "10 ms"
wcet = "1 ms"
on_budget = "stop"
budget = "2 ms"
[[task]]
name = "idler"
[[mutex]]
name = "shared"
users = [{ task = "control", hold = "300 us" }, { task = "idler", hold = "100 us" }]
[[state]]
name = "pose"
message_size = 24
writer = "control"
readers = [{ task = "idler", read = "50 us" }]
[[priority_mailbox]]
name = "orders"
message_size = 8
capacity = 4
handler = "ordered"
wcet = "40 us"
"""


@pytest.mark.parametrize("board", ["host", "mps2-an385"])
def test_the_charge_of_a_budget_is_that_of_the_proof(board: str, application: Callable[..., Path]) -> None:
    """The budget, the longest hold and what may be locked when it ends: all of them execution of the task."""
    found = proved(application(BUDGET.replace("BOARD", board)))
    kernel_ns = found.overheads.lock_ns if found.overheads else 0
    parts = load_breakdown.shares(found)
    assert parts["tasks"] == Fraction(2_000_000 + 300_000 + 40_000 + kernel_ns, 10_000_000)
    assert sum(parts.values(), Fraction(0)) == found.choice.proof.load


@pytest.mark.parametrize("scheduler", ["dm", "edf", "csd3"])
def test_the_busy_period_is_that_of_the_proof(scheduler: str) -> None:
    """In a fixed band the first response is the bound less the longest locked section; in an edf band within it."""
    found = proved(table_of("avionics"), scheduler)
    period = busy.period(found)
    assert period.ended
    assert found.overheads is not None
    fixed = {name for band in found.bands if band.kind == "fixed" for name in band.tasks}
    for index, task in enumerate(found.system.tasks):
        bound = found.responses_ns[task.name] or 0
        assert period.responses_ns[index] + found.overheads.lock_ns <= bound
        if task.name in fixed:
            assert period.responses_ns[index] + found.overheads.lock_ns == bound
    ends = [entry for entry in period.entries if entry.event is Event.COMPLETE]
    releases = [entry for entry in period.entries if entry.event is Event.RELEASE]
    assert len(ends) == len(releases)


def test_the_busy_period_of_what_is_refuted_goes_on_after_the_miss() -> None:
    period = busy.period(proved(table_of("troublesome"), "rm"))
    assert period.first_miss is not None
    assert (period.first_miss.task, period.first_miss.deadline_ns) == ("t4", 7_000_000)
    assert period.first_miss.deadline_ns < period.end_ns


def test_an_overload_and_a_deadlock_have_a_page(application: Callable[..., Path]) -> None:
    over = REFUTED.replace('wcet = "6 ms"', 'wcet = "8 ms"').replace('wcet = "3 ms"', 'wcet = "9 ms"')
    page = Page(drawn(proved(application(over))))
    assert "the load is 141" in page.texts["Utilization"]
    assert page.row("Response times", "control")[-1] == "misses"
    nested = "".join(
        f'[[mutex]]\nname = "{mutex}"\nusers = [{{ task = "control", hold = "1 ms"{control} }}, '
        f'{{ task = "filter", hold = "1 ms"{other} }}]\n'
        for mutex, control, other in (("a", "", ', within = ["b"]'), ("b", ', within = ["a"]', ""))
    )
    stuck = Page(drawn(proved(application(REFUTED + nested, "stuck"))))
    assert "Refuted" in stuck.texts[""]
    assert "The longest busy period" not in stuck.texts


def renamed(found: Proved, text: str) -> Proved:
    system: System = replace(found.system.having(Mutex, (Mutex(text, ()),)), name=text)
    return replace(found, system=system)


def test_names_cannot_break_it_and_nothing_is_fetched() -> None:
    evil = "</script><img src=x onerror='alert(1)'>{{data}}"
    text = drawn(renamed(proved(table_of("troublesome"), "rm"), evil))
    page = Page(text)
    assert page.fetched == []
    assert text.count("</script>") == 2
    assert "<img" not in text
    assert not re.search(r"url\(|@import|fetch\(|https?://(?!www\.w3\.org/2000/svg)", text)
    assert Page(text).texts[""].count(evil) >= 1


def test_many_tasks_stay_small(application: Callable[..., Path]) -> None:
    tasks = [f'[[task]]\nname = "t{i}"\nperiod = "{5 + i} ms"\nwcet = "{50 + 9 * i} us"\n' for i in range(40)]
    text = drawn(proved(application('[system]\nboard = "mps2-an385"\nscheduler = "csd3"\n' + "".join(tasks))))
    assert len(text) < 1_000_000
    assert len(Page(text).tables["Response times"]) == 1 + 40


def browsed(text: str, folder: Path, dark: bool) -> tuple[str, str]:
    """What a browser made of a page in a frame so narrow, and what it wrote on its console. The frame is as wide as
    a telephone; windows of the browser itself cannot be."""
    measure = (
        "const page = document.getElementById('frame').contentDocument; document.getElementById('said').textContent ="
        " JSON.stringify([page.documentElement.scrollWidth, page.getElementById('span')?.textContent,"
        " getComputedStyle(page.body).color])"
    )
    frame = f"<iframe id=frame style='border:0;width:{NARROW}px;height:900px' srcdoc=\"{html.escape(text)}\"></iframe>"
    outer = f"<!doctype html>{frame}<p id=said></p><script>addEventListener('load', () => {{{measure}}})</script>"
    path = folder / "frame.html"
    path.write_text(outer, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr"]
    options += [f"--user-data-dir={folder}/profile", f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
    command = ["chromium", *options, "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    said = re.search(r'<p id="said">(.*?)</p>', done.stdout)
    assert said is not None, done.stderr
    return html.unescape(said[1]), "\n".join(line for line in done.stderr.splitlines() if "CONSOLE" in line)


@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
@pytest.mark.parametrize(
    ("name", "scheduler"),
    [("telecom", None), *(pytest.param(*app, marks=only_full) for app in (("flight", None), ("troublesome", "rm")))],
)
def test_a_narrow_browser_draws_it(name: str, scheduler: str | None, tmp_path: Path) -> None:
    text = drawn(proved(table_of(name), scheduler))
    colours = set()
    for dark in (False, True):
        said, console = browsed(text, tmp_path, dark)
        assert console == ""
        width, span, colour = said.strip("[]").split(",", 2)
        assert int(width) == NARROW
        assert (span == "null") == (name == "telecom")  # no deadlines: no busy period
        assert name == "telecom" or " to " in span
        colours.add(colour)
    assert len(colours) == 2


def test_the_command(takt: Takt, application: Callable[..., Path], tmp_path: Path) -> None:
    folder = application(REFUTED)
    path = tmp_path / "page.html"
    said = takt("report", str(folder), "--no-image", "--output", str(path))
    assert said.code == 1
    assert said.out.startswith("Refuted: ")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert takt("report", table_of("troublesome"), "--scheduler", "edf", "--no-image", "-o", str(path)).code == 0
    assert takt("report", str(folder), "--no-image", "-o", str(tmp_path / "none" / "page.html")).code == 2
    assert takt("report", str(folder), "--board", "nowhere").code == 2


def test_what_is_undecided_is_no_promise() -> None:
    found = proved(table_of("troublesome"), "rm")
    undecided: Any = replace(found.choice.proof, verdict=Verdict.UNDECIDED, reason="the limit was reached")
    text = drawn(replace(found, choice=replace(found.choice, proof=undecided)))
    assert 'class="verdict warn">Undecided: the limit was reached' in text
