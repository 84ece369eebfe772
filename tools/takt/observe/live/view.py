# SPDX-License-Identifier: Apache-2.0
"""A run while it lasts: on a terminal a table that is drawn again and again, below what happened; elsewhere lines."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from rich.console import Group
from rich.live import Live
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from takt.observe import log_texts
from takt.observe import run as runs
from takt.observe.live.figures import Figures, News, TaskSoFar
from takt.prove.proof import Proved
from takt.support import console
from takt.support.durations import brief
from takt.support.names import line_of
from takt.trace import log, log_lines
from takt.trace.records import Entry, Event, Trace
from takt.trace.replay import INTERRUPTS, State

REFRESH_S = 0.2
DRAWN_PART = 5  # a terminal takes one of so many parts of the time at most, however slow it is
LINE_NS = 1_000_000_000  # of the run, between lines where there is no terminal
LINES_MIN = 10  # of what happened, that are printed with a drawing, however low the terminal is
NEWS_MAX = 10  # lines for misses and the like in each second of the run: the rest is counted
ROWS_BESIDE = 8  # of a terminal, that the table leaves to others
COLUMNS = ("task", "load", "jobs", "misses", "response", "bound", "margin", "deadline", "")
_IMPORTANCE = ("task", "misses", "margin", "load", "response", "jobs", "bound", "deadline", "")
_WIDEST = 1000  # characters of a table
_COLOURS = {"error": "red", "warning": "yellow", "missed": "red", "fault": "red", "budget": "yellow", "lost": "yellow"}
_STATES = {State.RELEASE: "waits", State.RUNNING: "runs"}


class LiveView:
    """Shows the run of a system, whose image has the texts of its log. `said`: the file with what its console prints.
    `until_ns`: when it ends; None: not known."""

    def __init__(self, proved: Proved, image: Path, said: Path, until_ns: int | None) -> None:
        self._proved = proved
        self._names = log_texts.of_image(runs.names_of(proved), image)
        self._image = image
        self._looked_up: set[int] = set()  # addresses, of which those of constants have a string
        self._said, self._said_bytes, self._unfinished = said, 0, b""
        self._until_ns = until_ns
        self._figures = Figures(self._names)
        self._out = console.err()
        self._live: Live | None = None
        self._lines: list[Text] = []  # on a terminal, to be printed with the next drawing: each print is one
        self._stack = ExitStack()
        self._draw_s = 0.0  # not before
        self._line_ns = LINE_NS
        self._news = self._left_out = 0

    def __enter__(self) -> Self:
        self._said.unlink(missing_ok=True)
        if self._out.is_terminal:
            self._live = Live(console=self._out, auto_refresh=False, transient=True)
            self._stack.enter_context(self._live)
        else:
            until = "" if self._until_ns is None else f" for {brief(self._until_ns)}"
            line = f"takt: {self._proved.system.name} runs on {self._proved.board.name}{until}; Ctrl-C ends it"
            self._lines.append(Text(line))  # with what follows: only then the run is followed, and Ctrl-C heard
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._hear(last=True)
        self._flush()
        self._stack.__exit__(kind, error, traceback)

    def step(self, entry: Entry) -> None:
        self._pass_to(entry.time_ns)
        news = self._figures.step(entry)
        if entry.event is Event.LOG:
            self._log(entry)
        elif news is not None and (news.kind in ("fault", "lost") or self._news < NEWS_MAX):
            self._news += 1
            self._tell(news)
        elif news is not None:
            self._left_out += 1

    def refresh(self, now_ns: int) -> None:
        now_s = time.monotonic()
        if now_s < self._draw_s:
            return
        self._hear()
        self._flush()
        if self._live is not None:
            self._live.update(self._screen(max(now_ns, 0)), refresh=True)
        drawn_s = time.monotonic()
        self._draw_s = max(now_s + REFRESH_S, drawn_s + (DRAWN_PART - 1) * (drawn_s - now_s))

    def _pass_to(self, now_ns: int) -> None:
        """Lines where there is no terminal: at each whole second of the run, before what happens then."""
        while now_ns >= self._line_ns:
            self._figures.pass_to(self._line_ns)
            if self._left_out:
                self._print(f"takt:   {self._left_out} more of these in this second")
            self._news = self._left_out = 0
            if self._live is None:
                self._print(f"takt: {self._line()}")
            if now_ns - self._line_ns > 10 * LINE_NS:  # nothing happened: not a line for each second
                self._line_ns += (now_ns - self._line_ns) // LINE_NS * LINE_NS
            else:
                self._line_ns += LINE_NS

    def _line(self) -> str:
        figures = self._figures
        jobs = sum(task.jobs for task in figures.tasks)
        misses = "no miss" if not figures.misses else f"{figures.misses} misses" if figures.misses > 1 else "1 miss"
        least = figures.least_margin()
        margin = "" if least is None else f", least margin {_signed(least[0])} ({least[1]})"
        return f"{brief(figures.now_ns)}: load {figures.load_of_all():.0%}, {jobs} jobs, {misses}{margin}"

    def _log(self, entry: Entry) -> None:
        message = self._names.log.get(entry.value)
        if message is not None:
            new = set(log.addresses(message, entry.words)) - self._looked_up
            self._names.strings.update(log_texts.strings(self._image, new))
            self._looked_up |= new
        one = Trace(self._names, (entry,))
        for line, text in zip(log_lines.lines(one), log_lines.shown(one), strict=True):
            self._print(text, _COLOURS.get(line.level))

    def _tell(self, news: News) -> None:
        self._print(log_lines.row(self._names, news.time_ns, news.kind, news.task, news.text), _COLOURS[news.kind])

    def _hear(self, last: bool = False) -> None:
        """What the board printed since, in lines."""
        data = b""
        if self._said.exists():
            with self._said.open("rb") as file:
                file.seek(self._said_bytes)
                data = file.read()
        self._said_bytes += len(data)
        *lines, self._unfinished = (self._unfinished + data).split(b"\n")
        if last and self._unfinished:
            lines.append(self._unfinished)
        for line in lines:
            self._print(f"| {line_of(line.decode(errors='replace').rstrip())}")

    def _print(self, text: str, colour: str | None = None) -> None:
        self._lines.append(Text(text, style=colour or ""))
        if self._live is None:
            self._flush()

    def _flush(self) -> None:
        """On a terminal the last lines that fit into it: of more nobody reads any, and a slow one would take long."""
        left_out = len(self._lines) - max(self._out.height, LINES_MIN) if self._live is not None else 0
        if left_out > 0:
            self._lines[:left_out] = [Text(f"takt:   {left_out} more lines")]
        if self._lines:
            self._out.print(Text("\n").join(self._lines), soft_wrap=True)
            self._lines = []

    def _screen(self, now_ns: int) -> Group:
        figures, proved = self._figures, self._proved
        until = "" if self._until_ns is None else f" of {brief(self._until_ns)}"
        lost = f", [yellow]{figures.lost_records} records lost[/]" if figures.lost_records else ""
        head = f"[bold]{escape(proved.system.name)}[/] on {proved.board.name}, {_clock(now_ns)}{until}: load"
        rows = self._rows()
        left = len(figures.tasks) - len(rows)
        more = [f"... {left} more tasks, whose least margins are larger"] if left else []
        share = f"{figures.load_of_all():.1%}, interrupts {figures.load(INTERRUPTS):.1%}"
        return Group(f"{head} {share}{lost}; Ctrl-C ends", self._table(rows), *more)

    def _table(self, rows: list[int]) -> Table:
        """With the columns that the terminal has room for, but always that of the tasks and one more."""
        cells = [list(self._cells(index)) for index in rows]
        wide = self._out.options.update(max_width=_WIDEST)
        for count in range(len(_IMPORTANCE), 1, -1):
            shown = [name for name in COLUMNS if name in _IMPORTANCE[:count]]
            table = Table(box=None, header_style="bold", pad_edge=False)
            for name in shown:
                table.add_column(name, justify="left" if name in ("task", "") else "right")
            for row in cells:
                table.add_row(*(row[COLUMNS.index(name)] for name in shown))
            if self._out.measure(table, options=wide).maximum <= self._out.width:
                break
        return table

    def _rows(self) -> list[int]:
        """The tasks that the terminal has room for, in the order of the declaration: rather those with misses, then
        those whose least margin is a small share of the deadline."""
        count = len(self._figures.tasks)
        room = max(self._out.height - ROWS_BESIDE, 3)
        if count <= room:
            return list(range(count))
        return sorted(sorted(range(count), key=self._urgency)[:room])

    def _urgency(self, index: int) -> tuple[int, float]:
        task, deadline_ns = self._figures.tasks[index], self._names.deadline_ns(index)
        share = 2.0 if task.margin_ns_min is None or not deadline_ns else task.margin_ns_min / deadline_ns
        return -task.misses, share

    def _cells(self, index: int) -> Iterator[str]:
        task, name = self._figures.tasks[index], self._names.tasks[index]
        deadline_ns, bound_ns = self._names.deadline_ns(index), self._proved.responses_ns.get(name)
        yield escape(name)
        yield f"{self._figures.load(index):.1%}"
        yield str(task.jobs)
        yield f"[bold red]{task.misses}[/]" if task.misses else "-"
        over = bound_ns is not None and (task.response_ns_max or 0) > bound_ns
        yield f"[bold red]{_time(task.response_ns_max)}[/]" if over else _time(task.response_ns_max)
        yield _time(bound_ns)
        yield _margin(task, deadline_ns)
        yield _time(deadline_ns)
        state = self._figures.replay.condition(index).state
        yield _STATES.get(state, state.value)


def _time(time_ns: int | None) -> str:
    return "-" if time_ns is None else brief(time_ns)


def _signed(time_ns: int) -> str:
    return brief(time_ns) if time_ns >= 0 else f"-{brief(-time_ns)}"


def _margin(task: TaskSoFar, deadline_ns: int | None) -> str:
    """The least one, red where it is none, yellow under a tenth of the deadline."""
    margin_ns = task.margin_ns_min
    if margin_ns is None:
        return "-"
    if margin_ns < 0:
        return f"[bold red]{_signed(margin_ns)}[/]"
    low = deadline_ns is not None and margin_ns * 10 < deadline_ns
    return f"[yellow]{brief(margin_ns)}[/]" if low else brief(margin_ns)


def _clock(now_ns: int) -> str:
    return f"{now_ns // 100_000_000 / 10:.1f} s"
