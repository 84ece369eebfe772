# SPDX-License-Identifier: Apache-2.0
"""Arguments and options that several commands have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def application(command: Command) -> Command:
    """The argument APP."""
    return click.argument("application", metavar="[APP]", required=False)(command)


def overheads_option(command: Command) -> Command:
    """--overheads."""
    return click.option(
        "--overheads",
        type=click.Choice(["measured", "none"]),
        default="measured",
        help="none: do not count the kernel's own time in the proof.",
    )(command)


def proof_options(command: Command) -> Command:
    """The options that say what is proved: --scheduler and --overheads."""
    command = overheads_option(command)
    return click.option(
        "--scheduler",
        metavar="S",
        help="Scheduler instead of the declared one: rm, dm, edf, csd2, csd3 ..., csd (the best csd), "
        "cooperative, auto.",
    )(command)


def json_option(command: Command) -> Command:
    """--json: passed as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output (docs/json.md).")(
        command
    )


def board_option(command: Command) -> Command:
    """--board B."""
    return click.option("--board", metavar="B", help="Board instead of the declared one: a folder of boards/.")(command)


def input_option(command: Command) -> Command:
    """--input FILE: passed as `typed`."""
    return click.option(
        "--input",
        "typed",
        metavar="FILE",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="What the console's line brings, at its rate, from the start on (docs/console.md).",
    )(command)


def engine_option(command: Command) -> Command:
    """--engine E."""
    return click.option(
        "--engine",
        metavar="E",
        help="Engine of the kernel: software, or rtm, the task manager of ibex-soc (docs/hardware.md).",
    )(command)


def access_cycles_option(command: Command) -> Command:
    """--access-cycles N."""
    return click.option(
        "--access-cycles",
        metavar="N",
        type=click.IntRange(0, 65535),
        default=0,
        help="Additional cycles of each access to the task manager (docs/hardware.md).",
    )(command)


def protection_option(command: Command) -> Command:
    """--protection/--no-protection."""
    return click.option(
        "--protection/--no-protection",
        default=None,
        help="Run tasks in processes, in user mode, or not (default: as declared).",
    )(command)


def count_option(name: str, default: int, words: str, most: int | None = None) -> Callable[[Command], Command]:
    """An option whose value is a number from 1 on, at most `most`."""
    kind = click.IntRange(1, most)
    return click.option(name, type=kind, default=default, show_default=True, help=words)


def choice_option(name: str, choices: Sequence[str], default: str, words: str) -> Callable[[Command], Command]:
    """An option whose value is one of a few words."""
    kind = click.Choice(choices)
    return click.option(name, type=kind, default=default, show_default=True, help=words)
