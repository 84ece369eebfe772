# SPDX-License-Identifier: Apache-2.0
"""The command line. Each command is a module with `add_command(cli)`; it imports what it works with when it runs."""

from __future__ import annotations

import errno
import importlib
import importlib.util
import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from takt.support.errors import EXITS, INTERRUPTED, MISUSE, NO, YES, UserError
from takt.support.names import line_of, shown
from takt.support.provision import ROOT
from takt.support.streams import OutputLost

HELP = """Takt: a real-time operating system whose schedule is proved before it boots.

One file, system.toml, says what must happen and by when. Takt proves from it that every deadline holds (or says which
does not, and why), generates the static tables, builds, runs, and holds what it saw against what was proved.

APP is a folder with a system.toml, or such a file; without it the flight program, apps/flight.
"""

EPILOG = """\b
Start here:
  ./takt run                       fly the flight program on an emulated Cortex-M3
  ./takt new ~/first               an application of your own
  ./takt check ~/first             does every deadline hold? by how much?
  ./takt run ~/first --board host  run it in virtual time on this machine

\b
Exit codes:
{exits}

\b
docs/system-toml.md lists every key of system.toml, docs/json.md every key of --json.
""".format(exits="\n".join(f"  {code:<4} {words}" for code, words in EXITS.items()))

# In the order of work; a section of `takt --help` each.
SECTIONS = {
    "From declaration to report": ("check", "search", "advise", "report", "build", "run", "measure", "trace"),
    "Around it": (
        "new",
        "generate",
        "hints",
        "docs",
        "reflect",
        "reflectd",
        "sweep",
        "reproduce",
        "bench",
        "prove",
        "test",
    ),
}
_MODULES = {
    "build": "image.build",
    "run": "observe.run",
    "measure": "observe.measure",
    "hints": "hints",
    "docs": "dev.docs",
    "reflect": "reflect",
    "reflectd": "reflect.serve",
    "sweep": "sweep",
    "reproduce": "reproduce",
    "bench": "bench",
    "prove": "hardware.proofs",
    "test": "dev.testing",
}

Command = TypeVar("Command", bound=Callable[..., Any])


class Group(click.Group):
    """Commands, of which a misspelt one is told with the closest."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            from takt.support.errors import did_you_mean

            ctx.fail(f'no command "{shown(args[0])}"; try {did_you_mean(args[0], list(self.commands))}')


class Cli(Group):
    """Lists commands by section, and turns a UserError of any command into one message and exit code MISUSE."""

    group_class = Group

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in SECTIONS.items():
            rows = [(name, self.commands[name].get_short_help_str(90)) for name in names if name in self.commands]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UserError as error:
            click.echo("\n".join(map(line_of, f"takt: {error}".split("\n"))), err=True)
            ctx.exit(MISUSE)
        except BrokenPipeError:
            raise
        except OSError as error:
            said = _file_message(error)
            if said is None:
                raise
            click.echo(f"takt: {said}", err=True)
            ctx.exit(MISUSE)


def _file_message(error: OSError) -> str | None:
    """What is wrong with a file or folder, and what to try; None: it is about none."""
    name = None if error.filename is None else shown(str(error.filename))
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return f"{name or 'the disk'}: {error.strerror}\n  try: make room"
    if name is not None:
        inside = Path(os.path.realpath(str(error.filename))).is_relative_to(ROOT.resolve())
        place = "a clone of Takt that you may write to: it builds in its own folder" if inside else "another place"
        return f"{name}: {error.strerror}\n  try: {place}, or its owner"
    if "temporary directory" in str(error.strerror):  # tempfile's own words
        return "no folder takes temporary files\n  try: make room in /tmp, or TMPDIR=another folder"
    if error.errno == errno.ENOENT:  # only of the current folder no name is told
        return "the current folder is gone\n  try: another one (cd)"
    return None


cli = Cli(
    name="takt",
    help=HELP,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)


def application(command: Command) -> Command:
    """The argument APP."""
    return click.argument("application", metavar="[APP]", required=False)(command)


def overheads_option(command: Command) -> Command:
    """--overheads."""
    return click.option(
        "--overheads",
        type=click.Choice(["measured", "none"]),
        default="measured",
        help="none: leave the kernel's own time out of the proof.",
    )(command)


def proof_options(command: Command) -> Command:
    """The options that say what is proved: --scheduler and --overheads."""
    command = overheads_option(command)
    return click.option(
        "--scheduler",
        metavar="S",
        help="Instead of the declared one: rm, dm, edf, csd2, csd3 ..., csd (the best of them), cooperative, auto.",
    )(command)


def json_option(command: Command) -> Command:
    """--json: passed as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="One JSON document on standard output (docs/json.md).")(
        command
    )


def board_option(command: Command) -> Command:
    """--board B."""
    return click.option("--board", metavar="B", help="Instead of the declared one: a folder of boards/.")(command)


def engine_option(command: Command) -> Command:
    """--engine E."""
    return click.option(
        "--engine",
        metavar="E",
        help="What keeps ready tasks and instants: software, or rtm, the task manager of ibex-soc (docs/hardware.md).",
    )(command)


def access_cycles_option(command: Command) -> Command:
    """--access-cycles N."""
    return click.option(
        "--access-cycles",
        metavar="N",
        type=click.IntRange(0, 65535),
        default=0,
        help="Each access to the task manager takes so many cycles longer (docs/hardware.md).",
    )(command)


def protection_option(command: Command) -> Command:
    """--protection/--no-protection."""
    return click.option(
        "--protection/--no-protection",
        default=None,
        help="Tasks in processes, in user mode, or not: instead of the declared one.",
    )(command)


def load_commands() -> Cli:
    """The command line with every command whose module is there."""
    for names in SECTIONS.values():
        for name in names:
            module = f"takt.{_MODULES.get(name, 'commands.' + name)}"
            if importlib.util.find_spec(module) is not None:
                adds = getattr(importlib.import_module(module), "add_command", None)
                if adds is not None:
                    adds(cli)
    return cli


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. Returns its exit code, one of EXITS."""
    try:
        code = load_commands().main(arguments, prog_name="takt", standalone_mode=False)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        said = io.StringIO()
        error.show(said)
        click.echo("\n".join(map(line_of, said.getvalue().split("\n"))), err=True, nl=False)
        return MISUSE
    except (click.Abort, KeyboardInterrupt):
        click.echo("takt: interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output went away
        return NO
    except OutputLost as error:
        click.echo(f"takt: {error}", err=True)
        return NO
    return code if isinstance(code, int) else YES
