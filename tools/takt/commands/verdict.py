# SPDX-License-Identifier: Apache-2.0
"""What commands say of a proof on the terminal, and what they refuse for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NoReturn

import click
from rich.markup import escape
from rich.table import Table

from takt.declare import processes
from takt.declare.code import constructors
from takt.declare.schema.model import Server, System, Verdict
from takt.declare.schema.service import FIFO
from takt.declare.service_kinds.mutex import Mutex
from takt.declare.service_kinds.slot import Slot, counted
from takt.image.stack_bounds import Bound
from takt.image.stack_verdict import too_small
from takt.prove import board_memory, schedulers
from takt.prove.bus import words
from takt.prove.bus.buses import BusProof
from takt.prove.chains.chains import ChainProof
from takt.prove.proof import Proved, verdict_line
from takt.prove.reasons.steps import LIMIT
from takt.report import advice, process_figures
from takt.report.advice import Advice
from takt.support import console
from takt.support.durations import show
from takt.support.options import Command


def limit_option(command: Command) -> Command:
    """--limit N."""
    words = "Steps that the proof may take, and what follows it once more; undecided where they do not suffice."
    return click.option(
        "--limit", metavar="N", type=click.IntRange(1, 10**18), default=LIMIT, show_default=True, help=words
    )(command)


UNSENT = "the program sends them itself, each at most once a job of its task (docs/can.md)"
NAMES_SHOWN = 5
MARKS = {
    Verdict.FEASIBLE: "[green]holds[/]",
    Verdict.INFEASIBLE: "[red]misses[/]",
    Verdict.UNDECIDED: "[yellow]undecided[/]",
}
COLOURS = {Verdict.FEASIBLE: "green", Verdict.INFEASIBLE: "red", Verdict.UNDECIDED: "yellow"}


def schedule_table(proved: Proved) -> Table:
    """Tasks in the order of the bands, with their bounds."""
    table = Table(title=None, box=None, header_style="bold", pad_edge=False)
    table.add_column("band")
    table.add_column("task")
    for name in ("period", "wcet", "deadline", "response", "slack"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    verdicts = {task.name: task.verdict for task in (*proved.choice.proof.tasks, *proved.choice.proof.servers)}
    servers = {server.name: server for server in proved.system.servers}
    for number, band in enumerate(proved.bands):
        for position, name in enumerate(band.tasks):
            label = f"{number + 1} {band.kind}" if position == 0 else ""
            if name in servers:
                _add_server(table, proved, servers[name], label, verdicts)
                continue
            table.add_row(label, name, *_figures(proved, name), _mark(proved, name, verdicts.get(name)))
    return table


def _add_server(table: Table, proved: Proved, server: Server, label: str, verdicts: dict[str, Verdict]) -> None:
    """A row of the server, and one of each task that it serves."""
    found = next(one for one in proved.choice.proof.servers if one.name == server.name)
    response, due = found.response_ns, server.deadline_ns
    figures = [show(server.period_ns), show(server.budget_ns), show(due), *_response(response, due)]
    table.add_row(label, f"{server.name} ({server.kind})", *figures, MARKS[verdicts[server.name]])
    for name in server.serves:
        mark = "served" if proved.system.task(name).deadline_ns is None else MARKS[verdicts[name]]
        table.add_row("", f"  {name}", *_figures(proved, name), mark)


def _response(response: int | None, due: int | None) -> list[str]:
    """It, and the slack."""
    if response is None or due is None:
        return ["-" if response is None else show(response), ""]
    return [show(response), show(due - response) if response <= due else f"-{show(response - due)}"]


def _figures(proved: Proved, name: str) -> list[str]:
    task = proved.system.task(name)
    response = proved.responses_ns.get(name)
    separation = "-" if task.separation_ns is None else show(task.separation_ns)
    sporadic = ">= " if task.min_interarrival_ns is not None else ""
    deadline = "-" if task.deadline_ns is None else show(task.deadline_ns)
    burst = f", {task.burst} at once" if task.burst > 1 else ""
    return [
        sporadic + separation + burst,
        show(task.wcet_ns),
        deadline,
        *_response(response, task.deadline_ns),
    ]


def _mark(proved: Proved, name: str, verdict: Verdict | None) -> str:
    if proved.system.task(name).deadline_ns is None:
        return "background"
    return MARKS[verdict] if verdict is not None else ""


def show_proof(proved: Proved, found: Advice) -> None:
    """The table, what it assumes, the verdict and what it comes with, on standard output."""
    out = console.out()
    system = proved.system
    proof = proved.choice.proof
    load = f"utilization {float(proof.utilization):.1%}"
    if proof.load != proof.utilization:
        load += f", {float(proof.load):.1%} with interrupts and kernel"
    out.print(f"[bold]{escape(system.name)}[/] on {system.board}, scheduler {proved.choice.scheduler}, {load}\n")
    out.print(schedule_table(proved))
    out.print()
    for interrupt in system.interrupts:
        each_ns = processes.line_ns(system, proved.overheads, interrupt) or interrupt.wcet_ns
        rate = f">= {show(interrupt.min_interarrival_ns)} apart, {show(each_ns)} each"
        out.print(f"interrupt {interrupt.name}: {rate}, above every band")
    for line in (*server_lines(proved), *delay_lines(system), *offset_lines(system)):
        out.print(escape(line))
    for slot in system.of(Slot):
        if counted(system, slot):
            out.print(f"slot {slot.name}: every job of {slot.owner} counts twice more, above every band")
    for line in (*state_lines(proved), *(queue.line() for queue in proved.queues)):
        out.print(escape(line), soft_wrap=not out.is_terminal)
    for bus in proved.buses:
        show_bus(bus)
    show_chains(proved.chains)
    for process in process_figures.figures(proved):
        out.print(escape(process.line()), soft_wrap=not out.is_terminal)
    for shared in system.shared if system.protection else ():
        if shared.kernel and shared.write:
            writers = ", ".join(shared.write)
            out.print(
                f"shared {shared.name}: files that run in the kernel's mode must tolerate whatever {writers} "
                "write there"
            )
    out.print(escape(proved.overheads_line()))
    out.print(f"[bold {COLOURS[proved.verdict]}]{escape(verdict_line(proved))}[/]", soft_wrap=not out.is_terminal)
    show_advice(proved, found)


def show_bus(bus: BusProof) -> None:
    """Its messages, and what they assume."""
    out = console.out()
    table = Table(title=None, box=None, header_style="bold", pad_edge=False)
    for name in ("message", "id", "sender"):
        table.add_column(name)
    for name in ("bytes", "period", "sent within", "deadline", "response"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for row, verdict in words.rows(bus):
        table.add_row(*map(escape, row), MARKS[verdict] if verdict else "best effort")
    for line in words.lines(bus):
        out.print(escape(line), soft_wrap=not out.is_terminal)
    out.print(table)
    for line in words.notes(bus):
        out.print(escape(line), soft_wrap=not out.is_terminal)
    out.print()


def show_chains(chains: Sequence[ChainProof]) -> None:
    """Their bounds beside their limits."""
    if not chains:
        return
    out = console.out()
    table = Table(title=None, box=None, header_style="bold", pad_edge=False)
    for name in ("chain", "path"):
        table.add_column(name)
    for name in ("reaction", "limit", "age", "limit"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for one in chains:
        chain = one.chain
        times = (one.reaction_ns, chain.reaction_ns, one.age_ns, chain.age_ns)
        table.add_row(
            chain.name, " > ".join(chain.path), *("-" if ns is None else show(ns) for ns in times), MARKS[one.verdict]
        )
    out.print(table)
    out.print()


def server_lines(proved: Proved) -> Iterator[str]:
    """What servers serve, and why there is no bound on its responses."""
    whys = dict(proved.choice.proof.unbounded)
    for server in proved.system.servers:
        why = f"; no bound on their responses: {whys[server.name]}" if server.name in whys else ""
        budget = f"{show(server.budget_ns)} in {show(server.period_ns)}"
        yield f"server {server.name}: {server.kind}, {budget} for {', '.join(server.serves)}{why}"


def delay_lines(system: System) -> Iterator[str]:
    """What delays tasks: mutexes, and waits of their own."""
    for mutex in system.of(Mutex):
        holds = ", ".join(f"{user.task} {show(user.hold_ns)}" for user in mutex.users)
        more = ", with a ceiling" if mutex.protocol == "ceiling" else ""
        more = ", waiters in FIFO order" if mutex.waiters == FIFO else more
        yield f"mutex {mutex.name}: held by {holds}{more}"
    for task in system.tasks:
        if task.waits:
            calls = f"{task.waits} calls" if task.waits > 1 else "one call"
            yield f"task {task.name}: a job waits up to {show(task.suspension_ns)} in {calls}, counted as execution"


def offset_lines(system: System) -> Iterator[str]:
    """The offsets that the proof uses."""
    for names in schedulers.transactions(system):
        offsets = ", ".join(f"{name} {show(system.task(name).offset_ns or 0)}" for name in names)
        yield f"offsets: jobs of one period, {show(system.task(names[0]).period_ns or 0)}, are released at {offsets}"


def state_lines(proved: Proved) -> list[str]:
    """The copies of state messages that the tool decided, and why."""
    return [line for depth in proved.depths if depth.needs for line in depth.lines()]


def show_advice(proved: Proved, found: Advice) -> None:
    """How far it is from the other verdict, as far as that is known."""
    out = console.out()
    if found.sensitivity and found.sensitivity.limits:
        out.print()
        out.print(advice.limits_table(found.sensitivity))
        for line in advice.sensitivity_lines(found.sensitivity):
            out.print(escape(line))
    for line in [*(advice.remedy_lines(found) if not proved.feasible else ()), *advice.ended_lines(found)]:
        out.print(escape(line), soft_wrap=not out.is_terminal)


def say_unsent(system: System) -> None:
    """Of what is proved and not built: on standard error."""
    driven = {bus.name for bus in system.driven}
    sent = [one.name for one in system.messages if one.sender is not None and one.bus not in driven]
    if sent:
        names = f"{', '.join(sent[:NAMES_SHOWN])}{' ...' if len(sent) > NAMES_SHOWN else ''}"
        click.echo(f"takt: messages are proved, and no code sends them yet: {names}\n  {UNSENT}", err=True)


def refuse_unproved(proved: Proved, force: bool, as_json: bool = False) -> None:
    """Ends the command with exit code 1 and the refutation, unless it was proved or forced."""
    say_unsent(proved.system)
    if proved.feasible or force:
        return
    if as_json:
        console.print_json(advice.document(proved))
    else:
        show_proof(proved, advice.advise(proved))
    refuse_to_go_on()


def refuse_to_go_on() -> NoReturn:
    """Ends the command with exit code 1, after what was said of a proof."""
    click.echo(
        "takt: not proved, so it is neither built nor run\n  try: --force, which builds or runs it anyway", err=True
    )
    raise click.exceptions.Exit(1)


def refuse(proved: Proved, stacks: Sequence[Bound], force: bool, as_json: bool = False) -> None:
    """Ends the command with exit code 1 if a stack is smaller than its bound, unless it is forced."""
    small = too_small(stacks)
    if not small or force:
        return
    if as_json:
        console.print_json({**advice.document(proved), "stacks": [one.as_json() for one in stacks]})
    for one in small:
        click.echo(f"takt: {one.sentence()}\n  {one.calls()}; {one.rest} for interrupts, alignment and guard", err=True)
    wanted = ", ".join(_larger(proved, one) for one in small)
    click.echo(f"  try: {wanted}, or smaller local variables; --force runs it anyway", err=True)
    raise click.exceptions.Exit(1)


def refuse_left_out(optimistic: int, allowed: bool) -> None:
    """Ends the command with exit code 1 if something that a format cannot say makes bounds optimistic."""
    if optimistic and not allowed:
        click.echo(
            f"takt: not written: {optimistic} of what is left out would make bounds optimistic\n"
            "  try: --leave-out, for the system without it",
            err=True,
        )
        raise click.exceptions.Exit(1)


def _larger(proved: Proved, small: Bound) -> str:
    """The value of `stack` that would do, and where it is declared."""
    needs = small.needs or 0
    if proved.choice.cooperative:
        return f"stack = {needs - board_memory.IDLE_STACK} in one [[task]]"
    where, prefix = _declared(proved.system, small.name)
    return f"{prefix}stack = {needs} in {where}"


def _declared(system: System, task: str) -> tuple[str, str]:
    """What declares it, and what its keys begin with: an interrupt of a process is a task, too."""
    lines = (item.name for item in system.interrupts if item.process is not None)
    if system.protection and processes.line_name(task) in lines:
        return f'[[interrupt]] "{task}"', ""
    return constructors.declared(system, task)
