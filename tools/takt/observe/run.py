# SPDX-License-Identifier: Apache-2.0
"""`takt run`: proves, builds, runs on a board, and holds what was observed against what was proved."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import click
from rich.console import Console, Group
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
from rich.table import Table

from takt.declare import quotas, services
from takt.declare.schema import boards
from takt.declare.schema.model import System
from takt.declare.service_kinds import mutex
from takt.image import build, functions
from takt.image.build import Image
from takt.image.own import given as own
from takt.observe import debug, execute, fault, log_texts, own_main, pace, plants
from takt.observe.cycles import Cycles
from takt.observe.figures import disturbed
from takt.observe.outcome import Outcome, TaskFigures, observe, watched
from takt.observe.process_faults import by_kind, call_lines
from takt.prove import proof
from takt.prove.bus import faults
from takt.prove.bus.faults import Faults
from takt.prove.proof import Proved
from takt.support import console, durations
from takt.support.compile import locked
from takt.support.durations import brief, show
from takt.support.errors import UserError, one_of
from takt.support.files import shown_path, write_whole
from takt.support.names import line_of
from takt.support.version import version
from takt.trace import log_lines, segments
from takt.trace import records as trace
from takt.trace.recording import Recording, Seen
from takt.trace.segments import Recorded

DEFAULT_SEED = 1
TRACE = "trace.takt"
CONSOLE_LINES = 12
LOG_LINES = 20
FUNCTIONS = 10  # the most expensive, where cycles are counted


@dataclass(frozen=True)
class Finished:
    """A run with everything that it left behind in `folder`: trace.takt, run.json, report.html, console.txt. `seen`:
    of its whole trace; `dropped`: records of it that are in no file."""

    outcome: Outcome
    seen: Seen
    dropped: int
    folder: Path
    console: str
    wall_s: float

    @property
    def trace_path(self) -> Path:
        """The trace, or its first segment."""
        return self.folder / TRACE

    @cached_property
    def trace(self) -> trace.Trace:
        """As far as it was kept. Of a long run it takes much memory."""
        return segments.read(self.trace_path)


def names_of(proved: Proved) -> trace.Names:
    """What the numbers in a trace of this system mean."""
    system = proved.system
    kinds = {**services.object_kinds(system), **quotas.created_kinds(system)}
    return trace.Names(
        board=proved.board.name,
        scheduler=proved.choice.scheduler,
        tasks=tuple(task.name for task in system.tasks),
        objects=tuple(kinds),
        kinds=tuple(kinds.values()),
        deadlines_ns=tuple(task.deadline_ns for task in system.tasks),
        budgets=tuple(
            None
            if task.budget_ns is None
            else trace.Budget(task.budget_ns, mutex.hold_ns(system, task.name), task.on_budget)
            for task in system.tasks
        ),
        bands=tuple({"kind": band.kind, "tasks": list(band.tasks)} for band in proved.bands),
        interrupts={item.number: item.name for item in system.interrupts},
        processes=tuple(process.name for process in system.processes) if _in_trace(system) else (),
        takt=version(),
        messages=tuple(one.name for one in system.messages) if system.driven else (),
    )


def _in_trace(system: System) -> bool:
    """Whether the trace tells of processes: their faults, and calls that start and stop them."""
    return system.protection or bool(system.managed)


Judge = Callable[[Image], None]
"""Called before an image is run: it may end the command."""


Show = Callable[[Image, Path], AbstractContextManager[pace.View]]
"""What shows a run of an image, whose console is in that file."""


def run(
    proved: Proved,
    duration_ns: int | None,
    seed: int,
    access_cycles: int = 0,
    judge: Judge = lambda image: None,
    given: Path | None = None,
    show: Show | None = None,
    network: Mapping[str, object] | None = None,
    bus_faults: Faults | None = None,
    built: Image | None = None,
) -> Finished:
    """Builds and runs a system, proved or not; one run of a build folder at a time. `access_cycles`: by how many each
    access to the task manager is longer (refuse_access_cycles). `given`: an image that was built already. `show`: shows
    it while it lasts, at the pace of time outside, and Ctrl-C ends it; only then `duration_ns` may be None: for ever.
    `network`: options of a node that runs with others, whose progress is not shown. `bus_faults`: on simulated buses.
    `built`: its image, from build.build.

    UserError: it does not build, or its board cannot run here.
    """
    with image_to_run(proved, judge, given, built) as (image, folder):
        with ExitStack() as stack:
            view = None if show is None else stack.enter_context(show(image, folder / execute.CONSOLE))
            activity = f"running {proved.system.name} on {proved.board.name}"
            progress = stack.enter_context(
                _progress(activity, duration_ns if show is None and network is None else None)
            )
            recording = recording_of(proved, image)
            done = execute.run(
                image,
                proved.board,
                duration_ns=duration_ns,
                seed=seed,
                plant=proved.system.plant_path,
                progress=progress,
                recording=recording,
                access_cycles=access_cycles,
                view=view,
                more={**(network or {}), **(faults.options(bus_faults, proved.buses) if bus_faults else {})},
                beside_others=network is not None,
            )
            seen = recording.end()
        where = functions.where(image.path)
        found = fault.find(done.console, trace.Trace(seen.names, seen.entries), where) if done.faulted else None
        failure = _failure(done, recording) if found is None else found.sentence()
        if failure is None and not recording.bytes:
            failure = (
                f"{own_main.file_of(image) or 'the image'} ended before it started the system: it sent no trace record"
            )
        outcome = observe(proved, seen, failure, done.plant, found, where)
        outcome = replace(outcome.with_stacks(image.stacks), cycles=done.cycles)
        if bus_faults:
            on, messages = disturbed.judge(bus_faults, proved.buses, folder, outcome.messages)
            outcome = replace(outcome, buses=on, messages=messages)
        write_whole(folder / "run.json", json.dumps(outcome.as_json(), indent=2) + "\n")
    return Finished(outcome, seen, recording.dropped, folder, done.console, done.wall_s)


def trace_path(image: Image) -> Path:
    """The trace of a run of an image, or its first segment."""
    return image.folder / "run" / TRACE


def recording_of(proved: Proved, image: Image) -> Recording:
    """What takes the trace of a run of an image into trace.takt, up to the first record that is damaged."""
    names = log_texts.of_image(names_of(proved), image.path)
    strings = partial(log_texts.strings, image.path)
    return Recording(trace_path(image), names, watched(proved), strings)


def _failure(done: execute.Run, recording: Recording) -> str | None:
    """Why a run without a fault failed. A board that died may have cut the last record; any other that is damaged is
    nonsense."""
    if recording.bytes - recording.sound < trace.RECORD_SIZE:
        return done.failure
    number = recording.sound // trace.RECORD_SIZE
    damage = f"its trace is damaged from record {number} on: the kernel's memory was overwritten"
    return f"{done.failure}; {damage}" if done.failure else damage


@contextmanager
def image_to_run(
    proved: Proved, judge: Judge, given: Path | None = None, built: Image | None = None
) -> Iterator[tuple[Image, Path]]:
    """The image to run, judged, and the folder of its run, which no other run uses. `given`, `built`: as of `run`."""
    folder = build.folder_of(proved.system, proved.board, proved.choice.scheduler)
    with locked(folder / "run"):
        if given is None:
            image = built or build.build(proved)
        else:
            image = own.image_of(proved, given)
            (image.folder / "run").mkdir(exist_ok=True)
        own_main.refuse_without_harness(image)
        judge(image)
        yield image, image.folder / "run"


def refuse_live(proved: Proved) -> None:
    """UserError: there is nothing to be shown while it runs."""
    if proved.system.preset == "lean":
        problem = f"--live: {shown_path(proved.system.path)}: preset lean keeps no trace, and that is what is shown"
        raise UserError(problem, 'preset = "standard"')


def run_debugged(
    proved: Proved, duration_ns: int, seed: int, wanted: debug.Wanted, judge: Judge, given: Path | None = None
) -> int:
    """Builds a system, proved or not, and runs it under a debugger. Returns the exit code. UserError: as `run`."""
    with image_to_run(proved, judge, given) as (image, _):
        plant = proved.system.plant_path
        prepared = execute.prepare(image, proved.board, duration_ns=duration_ns, seed=seed, plant=plant)
        return debug.debug(prepared, wanted)


@contextmanager
def _progress(activity: str, duration_ns: int | None) -> Iterator[execute.Progress]:
    """A bar of virtual time on a terminal; elsewhere one line, and one more for every fifth of a long run. Nothing of
    one without a duration."""
    if duration_ns is None:
        yield lambda _time_ns: None
        return
    out = console.err()

    def so_far(time_ns: int) -> str:
        return f"{brief(min(time_ns, duration_ns))} of {brief(duration_ns)}"

    if out.is_terminal:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[time]}"),
        )
        with Progress(*columns, console=out, transient=True) as bar:
            task = bar.add_task(activity, total=duration_ns, time="")
            yield lambda time_ns: bar.update(task, completed=time_ns, time=so_far(time_ns))
        return
    out.print(f"takt: {activity} ...", markup=False)
    shown = [0]

    def tell(time_ns: int) -> None:
        if time_ns * 5 // duration_ns > shown[0]:
            shown[0] = time_ns * 5 // duration_ns
            out.print(f"takt:   {so_far(time_ns)}", markup=False)

    yield tell


def table(outcome: Outcome) -> Table:
    """Tasks in declaration order: what was seen beside what was proved."""
    grid = Table(box=None, header_style="bold", pad_edge=False)
    grid.add_column("task")
    for name in ("jobs", "misses", "wcet", "executed", "deadline", "bound", "response", "of bound"):
        grid.add_column(name, justify="right")
    grid.add_column("")
    for task in outcome.tasks:
        grid.add_row(task.name, *_cells(task), _mark(task, outcome.proved.feasible))
    return grid


def _cells(task: TaskFigures) -> list[str]:
    if task.damage:
        return ["?"] * 8
    share = f"{task.response_ns_max / task.bound_ns:.0%}" if task.bound_ns else ""
    return [
        "-" if task.is_background else str(task.jobs),
        str(task.misses) if task.misses else "-",
        show(task.wcet_ns) if task.wcet_ns else "-",
        "-" if task.is_background else brief(task.execution_ns_max),
        "-" if task.deadline_ns is None else show(task.deadline_ns),
        "-" if task.bound_ns is None else brief(task.bound_ns),
        "-" if task.is_background else brief(task.response_ns_max),
        share,
    ]


def times_table(outcome: Outcome) -> Table | None:
    """Where each task's time and stack went; None: nothing is known of it."""
    if not any(task.times is not None or task.stack_max for task in outcome.tasks):
        return None
    causes = outcome.causes()
    grid = Table(box=None, header_style="bold", pad_edge=False)
    grid.add_column("task")
    for name in ("cpu", "ready", *(f"blocked: {cause}" if cause == causes[0] else cause for cause in causes), "stack"):
        grid.add_column(name, justify="right")
    for task in outcome.tasks:
        share = outcome.share(task)
        spent = task.times
        blocked = [] if spent is None else [spent.blocked_ns.get(cause, 0) for cause in causes]
        grid.add_row(
            task.name,
            "" if share is None else f"{share:.1%}",
            "" if spent is None else brief(spent.ready_ns),
            *(brief(time) if time else "-" for time in blocked),
            f"{task.stack_max} of {task.stack_bytes}" if task.stack_max else "-",
        )
    return grid


def cycles_table(cycles: Cycles | None) -> Group | None:
    """Where the cycles went in which the processor did not sleep; None: the board does not count them."""
    if cycles is None:
        return None
    grid = Table(box=None, header_style="bold", pad_edge=False)
    grid.add_column("function")
    for name in ("cycles", "of all awake", "instructions"):
        grid.add_column(name, justify="right")
    for one in cycles.functions[:FUNCTIONS]:
        grid.add_row(one.name, str(one.cycles), f"{one.cycles / max(cycles.awake, 1):.1%}", str(one.instructions))
    rest = len(cycles.functions) - FUNCTIONS
    counted = f"{cycles.total} cycles, {cycles.asleep} of them asleep, {cycles.instructions} instructions"
    return Group(grid, counted + (f"; {rest} more functions in run.json" if rest > 0 else ""))


def _mark(task: TaskFigures, proved: bool) -> str:
    if task.damage:
        return "[bold red]damaged[/]"
    if task.misses:
        return "[bold red]missed[/]"
    if any(task.breaches(proved)):
        return "[bold red]exceeded[/]"
    if task.is_background:
        return "background"
    return "[green]ok[/]" if task.jobs else "[yellow]no job[/]"


def _show_processes(out: Console, outcome: Outcome) -> None:
    """Faults of processes, and calls that started and stopped them."""
    for first, *more in by_kind(outcome.process_faults):
        out.print(f"[bold red]Process fault:[/] {escape(first.sentence())}", soft_wrap=True)
        for line in first.lines(outcome.names) if outcome.names is not None else ():
            out.print(escape(line), soft_wrap=True)
        if more:
            out.print(
                f"  {len(more)} more of this kind, the last at {brief(more[-1].time_ns)}; run.json has all of them"
            )
    for line in call_lines(outcome.process_calls):
        out.print(escape(line), soft_wrap=True)


def show_run(finished: Finished, page: Path) -> None:
    """The table, the plant's figures, where the rest is and, last, the verdict, on standard output."""
    out = console.out()
    outcome = finished.outcome
    proved = outcome.proved
    said = finished.console if outcome.fault is None else fault.without(finished.console)
    for line in last_lines(said):
        out.print(escape(line))
    speed = f"{outcome.duration_ns / 1e9 / finished.wall_s:.0f} times real time" if finished.wall_s > 0.05 else ""
    head = f"[bold]{escape(proved.system.name)}[/] on {proved.board.name}, scheduler {proved.choice.scheduler}"
    out.print(f"{head}, {brief(outcome.duration_ns)} of virtual time{f' ({speed})' if speed else ''}\n")
    out.print(table(outcome))
    out.print()
    for more in filter(None, (times_table(outcome), cycles_table(outcome.cycles))):
        out.print(more)
        out.print()
    of_buses = (one.line() for one in outcome.messages)
    of_chains = (chain.line() for chain in outcome.chains)
    lines = (*(queue.line() for queue in outcome.queues), *of_buses, *of_chains, *lost_releases(outcome))
    out.print("".join(f"{escape(line)}\n" for line in lines), end="", soft_wrap=True)
    if outcome.fault is not None and outcome.names is not None:
        out.print(f"[bold red]Fault:[/] {escape(outcome.fault.sentence())}", soft_wrap=True)
        for line in outcome.fault.lines(outcome.names):
            out.print(escape(line), soft_wrap=True)
        out.print()
    _show_processes(out, outcome)
    for one in outcome.injected if outcome.failure is None else ():
        out.print(f"Injected: {escape(one.line())}", soft_wrap=True)
    for disturbance in outcome.buses:
        out.print(f"Injected: {escape(disturbance.line())}", soft_wrap=True)
    if outcome.plant is not None:
        for line in plant_lines(outcome.plant):
            out.print(escape(line))
    if outcome.lost_records:
        out.print(
            f"[yellow]{outcome.lost_records} trace records were lost: there was no idle time in which to send them."
            " The timeline and the log have gaps, and what needs the whole trace is not shown; the first table is"
            " counted on the board, and complete[/]",
            soft_wrap=True,
        )
    for line in log_summary(finished):
        out.print(escape(line), soft_wrap=True)
    out.print(escape(proved.overheads_line()))
    click.echo(f"trace:  {shown_path(finished.trace_path)}{_kept(finished)}\nreport: {shown_path(page)}")
    good = outcome.passed and outcome.proved.feasible
    colour = "green" if good else "yellow" if outcome.passed else "red"
    out.print(f"[bold {colour}]{escape(outcome.line())}[/]", soft_wrap=not out.is_terminal)


def _kept(finished: Finished) -> str:
    """What is in the files of a trace that is longer than one; nothing of any other."""
    files = len(Recorded(finished.trace_path).paths)
    dropped = f"; {finished.dropped} records between are counted and in no file" if finished.dropped else ""
    return f" and {files - 1} more segments{dropped}" if files > 1 else ""


def lost_releases(outcome: Outcome) -> Iterator[str]:
    """Of tasks whose releases no queue counts: what was dropped, and why that may be."""
    counted = {figures.queue.task for figures in outcome.queues}
    for figures in outcome.tasks:
        if not figures.lost or figures.name in counted:
            continue
        task = outcome.proved.system.task(figures.name)
        why = "more waited than its pending_max"
        if task.on_miss == "skip":
            why = "a job was unfinished"
        elif task.trigger is not None and task.trigger.startswith(("interrupt ", "alarm ")):
            why += f"; {task.trigger} releases it by itself, so its handler need not"
        yield f"{figures.lost} release{'s' if figures.lost > 1 else ''} of {task.name} were lost: {why}"


def log_summary(finished: Finished) -> list[str]:
    """The first messages of the log, and how many there are; none of a program without."""
    counts = finished.outcome.log
    total = sum(counts.values())
    if not total:
        return []
    kinds = ", ".join(f"{count} {level}" for level, count in counts.items())
    first = list(itertools.islice(log_lines.shown(Recorded(finished.trace_path)), LOG_LINES))
    left = total - sum(not log_lines.is_gap(line) for line in first)
    more = f"; {left} more: ./takt trace {shown_path(finished.trace_path)} --log" if left > 0 else ""
    return [*first, f"log: {kinds}{more}", ""]


def last_lines(text: str) -> list[str]:
    """The end of what the program wrote to its console, each line marked: none can be taken for one of ours. Before it
    a line that says where the rest is, if there is any."""
    lines = text.rstrip().splitlines()
    head = ["... earlier lines are in console.txt"] if len(lines) > CONSOLE_LINES else []
    return [*head, *(f"| {line_of(line)}" for line in lines[-CONSOLE_LINES:]), ""] if lines else []


def plant_lines(report: dict[str, object]) -> Iterator[str]:
    """The figures of a plant's report, by its own names; nested tables and samples stay in run.json."""
    reasons = report.get("reasons")
    detail = "; ".join(str(reason) for reason in reasons) if isinstance(reasons, list) else ""
    yield f"plant: {plants.verdict(report)}{f': {detail}' if detail else ''}"
    for name, value in report.items():
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield f"  {name.replace('_', ' ')}: {value:g}"


def parse_duration(text: str | None, default_ns: int) -> int:
    """--duration. UserError: it is none."""
    if text is None:
        return default_ns
    try:
        return durations.parse(text, positive=True)
    except UserError as error:
        raise UserError(f'--duration "{text}": {error.problem}', error.hint) from None


def refuse_access_cycles(proved: Proved, access_cycles: int) -> None:
    """UserError: nothing in a run of this system could take longer for it."""
    if access_cycles and not proved.board.delays_accesses:
        able = [name for name in boards.names() if boards.load(name).delays_accesses]
        problem = f"--access-cycles {access_cycles}: {proved.board.name} has no task manager"
        raise UserError(problem, f"--board {one_of(able)}")
    if access_cycles and proved.system.engine == boards.SOFTWARE:
        raise UserError(
            f"--access-cycles {access_cycles}: the software engine does not access the task manager", "add --engine rtm"
        )


def load(
    application: str | None,
    board: str | None,
    scheduler: str | None,
    overheads: str,
    protection: bool | None = None,
    engine: str | None = None,
) -> Proved:
    """APP and the options that say what is proved, proved."""
    from takt.declare import declaration

    system = declaration.with_board(declaration.load(declaration.find(application), protection), board)
    system = boards.with_engine(system, engine)
    return proof.prove(system, scheduler, left_out=overheads == "none")
