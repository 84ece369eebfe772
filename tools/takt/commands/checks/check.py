# SPDX-License-Identifier: Apache-2.0
"""`takt check`: is every deadline held? Exit 0 proved, 1 refuted or undecided, 2 misuse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from takt.commands.checks import network
from takt.commands.verdict import limit_option, show_proof
from takt.declare import declaration
from takt.declare.code import constructors
from takt.declare.editor import messages
from takt.declare.editor.messages import Message
from takt.declare.network import read as of_networks
from takt.declare.schema.model import System, Verdict
from takt.prove.network import network_proof
from takt.prove.network.network_proof import NetworkProof
from takt.prove.proof import Proved, prove, verdict_line
from takt.prove.reasons.steps import Steps
from takt.support import console
from takt.support.durations import show
from takt.support.errors import INTERRUPTED, MISUSE, NO, YES, UserError
from takt.support.files import shown_path
from takt.support.options import application, board_option, json_option, proof_options, protection_option

LATE_SHOWN = 20  # messages of a bus
FORMATS = ("text", "json", "sarif", "github")


@click.command()
@application
@proof_options
@board_option
@protection_option
@click.option(
    "--sensitivity/--no-sensitivity",
    "wanted",
    default=None,
    help="Print how far each number may change before the verdict changes (default: up to 32 tasks).",
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(FORMATS),
    default="text",
    help="sarif, github: what is wrong, at its line, for editors and CI; also of bad input.",
)
@limit_option
@json_option
def check(
    application: str | None,
    scheduler: str | None,
    overheads: str,
    board: str | None,
    protection: bool | None,
    wanted: bool | None,
    kind: str,
    limit: int,
    as_json: bool,
) -> int:
    """Prove that every deadline is met, or report which is missed and why.

    Exit code 0: proved; 1: refuted, or undecided because --limit or an iteration limit was reached; 2: misuse; 130:
    interrupted, after what is known by then was printed.
    """
    if as_json and kind not in ("text", "json"):
        raise UserError(f"--json and --format {kind} exclude each other", "one of them")
    try:
        path = declaration.find(application)
        document = of_networks.document_of(path)
        if document is not None:
            of_networks.refuse_board(board)
            refuse_sensitivity(wanted)
            whole = of_networks.load(document, protection)
            joined = network_proof.prove(whole, scheduler, overheads == "none", lambda: Steps(limit, watched=True))
            return _answer_network(joined, "json" if as_json else kind)
        system = declaration.with_board(declaration.load(path, protection), board)
        proved = prove(system, scheduler, left_out=overheads == "none", steps=Steps(limit, watched=True))
    except UserError as error:
        if kind not in ("sarif", "github"):
            raise
        path = Path(application) if application is not None else declaration.DEFAULT_APPLICATION
        path = path / declaration.FILE_NAME if path.is_dir() else path
        return _say(kind, [messages.of_error(error, path)], MISUSE)
    except KeyboardInterrupt:
        return _nothing_known(as_json or kind == "json")
    code = YES if proved.feasible else NO
    if kind in ("sarif", "github"):
        return _say(kind, list(_refutations(proved)), INTERRUPTED if proved.prover.steps.interrupted else code)
    from takt.report import advice

    if as_json or kind == "json":
        console.print_json(advice.document(proved, wanted))
    else:
        show_proof(proved, advice.advise(proved, wanted))
    return INTERRUPTED if proved.prover.steps.interrupted else code


def refuse_sensitivity(wanted: bool | None) -> None:
    """UserError: a network has no use for it."""
    if wanted:
        raise UserError("--sensitivity is of one system", "takt check of one of the network's systems")


def _answer_network(found: NetworkProof, kind: str) -> int:
    code = YES if found.verdict is Verdict.FEASIBLE else NO
    code = INTERRUPTED if found.interrupted else code
    if kind in ("sarif", "github"):
        return _say(kind, list(network.refutations(found)), code)
    if kind == "json":
        console.print_json(found.as_json())
    else:
        network.show(found)
    return code


def _nothing_known(as_json: bool) -> int:
    """Of an interrupt before the proof, as while the declaration is read."""
    reason = "it was interrupted before anything was known"
    if as_json:
        document = {"feasible": False, "verdict": Verdict.UNDECIDED.value, "reason": reason, "ended": "interrupted"}
        console.print_json(document)
    else:
        click.echo(f"Undecided: {reason}.")
    return INTERRUPTED


def _say(kind: str, found: Sequence[Message], code: int) -> int:
    click.echo(messages.github(found) if kind == "github" else messages.sarif(found, code), nl=False)
    return code


def _refutations(proved: Proved) -> Iterator[Message]:
    """What is not proved: each task that may be late at its own line, with the reason at the first of them."""
    if proved.feasible:
        return
    system, reason = proved.system, verdict_line(proved)
    late = [task for task in proved.choice.proof.tasks if task.verdict is Verdict.INFEASIBLE]
    for task in late:
        response = proved.responses_ns.get(task.name)
        bound = "no bound on its response" if response is None else f"a response of up to {show(response)}"
        where, _ = constructors.declared(system, task.name)
        text = f"{where}: {bound}, and a deadline of {show(task.deadline_ns or 0)}"
        yield _at(system, "deadline", task.name, text if task is not late[0] else f"{text}\n{reason}")
    if late:
        return
    for queue in proved.queues if proved.choice.proved else ():
        for problem, hint in queue.refutations():
            yield _at(system, "queue", queue.name, f"{problem}\ntry: {hint}")
    buses = proved.late_buses if proved.choice.proved else []
    for bus in buses:
        for one in bus.late[:LATE_SHOWN]:
            text = f"{bus.bus.name}: {one.refutation()}"
            yield _at(system, "message", one.frame.name if one.declared else bus.bus.name, text)
    for name, problem, hint in proved.early if proved.choice.proved else ():
        yield _at(system, "trigger", name, f"{problem}\ntry: {hint}")
    chains = proved.late_chains if proved.choice.proved else []
    for chain in chains:
        yield _at(system, "chain", chain.chain.name, chain.reason())
    if not (proved.overflows or buses or chains):
        yield _at(system, "undecided" if proved.verdict is Verdict.UNDECIDED else "refuted", "scheduler", reason)


def _at(system: System, rule: str, name: str, text: str) -> Message:
    return Message(rule, text, shown_path(system.path), int(system.metadata.get(f"line {name}") or 1))


def add_command(cli: click.Group) -> None:
    cli.add_command(check)
