# SPDX-License-Identifier: Apache-2.0
"""The command line. Each command is a module with `add_command(cli)`, in takt.commands or in a room of its own; it is
loaded when it is called."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import click

from takt.streams import OutputLost
from takt.support.errors import EXITS, INTERRUPTED, MISUSE, NO, YES, UserError, did_you_mean
from takt.support.names import line_of, shown
from takt.support.provision import ROOT
from takt.support.version import revision, version

HELP = """Takt: a real-time operating system whose schedule is proved before it boots.

One file, system.toml, declares tasks, deadlines and shared objects. From it Takt proves that every deadline is met (or
reports which is missed, and why), generates constant tables, builds the image, runs it, and compares the observed times
with the proved ones.

APP is a folder with a system.toml, or such a file (default: the flight program, apps/flight).
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


class Entry(NamedTuple):
    """A command of a module that has `add_command(cli)`, and what `takt --help` says of it, without loading it."""

    module: str
    help: str


# In the order of work; a section of `takt --help` each.
SECTIONS = {
    "From declaration to report": {
        "check": Entry(
            "takt.commands.checks.check", "Prove that every deadline is met, or report which is missed and why."
        ),
        "search": Entry("takt.commands.search", "Find the best list of bands: of dm, rm, edf, csd and others."),
        "advise": Entry(
            "takt.commands.advise", "Forecast the effect of a change: does a task manager in hardware pay?"
        ),
        "report": Entry("takt.commands.report", "Write one page on a proof: load, response times, sensitivity."),
        "build": Entry("takt.commands.build", "Prove, generate the tables and build the image for its board."),
        "run": Entry("takt.commands.run", "Prove, build and run; compare the observed times with the proved ones."),
        "measure": Entry("takt.commands.measure", "Run, and suggest wcets and holds from the longest seen."),
        "trace": Entry("takt.commands.trace", "Print a trace that `takt run` left behind, one event a line."),
        "sbom": Entry("takt.commands.exchange.sbom", "Build the image, and list what it is made of."),
    },
    "Around it": {
        "new": Entry("takt.commands.new", "Create a small working application: a declaration and its C code."),
        "import": Entry("takt.commands.exchange.import_model", "Write a system.toml from a model of another tool."),
        "export": Entry("takt.commands.exchange.export_model", "Write a table of tasks or a model for other tools."),
        "schema": Entry("takt.commands.exchange.schema", "Print the JSON Schema of system.toml, for editors."),
        "generate": Entry("takt.commands.generate", "Write the tables, system.c and takt_app.h, for your own build."),
        "hints": Entry("takt.hints.command", "Find the mutex that is locked next after each blocking call."),
        "docs": Entry("takt.dev.docs", "Write the pages and files that are written from others."),
        "can": Entry("takt.can.commands.group", "CAN buses: do all messages of a DBC file arrive in time?"),
        "reflect": Entry("takt.commands.reflect", "Reflective memory: read and write the areas of this machine."),
        "reflectd": Entry("takt.reflect.serve", "Run the server of a node of reflective memory."),
        "sweep": Entry("takt.sweep.command", "Test many task sets under many schedulers."),
        "reproduce": Entry("takt.commands.reproduce", "Reproduce published figures."),
        "bench": Entry("takt.commands.bench", "Measure the kernel, beside its peers."),
        "formal": Entry("takt.hardware.proofs", "Prove the hardware: each proof of hardware/formal, at all its sizes."),
        "test": Entry("takt.dev.testing", "Run all checks of the project, or some of its tests."),
    },
}
COMMANDS = {name: entry for names in SECTIONS.values() for name, entry in names.items()}


class Group(click.Group):
    """Commands, with the closest name for a misspelt one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            ctx.fail(f'no command "{shown(args[0])}"; try {did_you_mean(args[0], self.list_commands(ctx))}')


class Cli(Group):
    """Lists commands by section, loads the one that is called, and turns its UserError into one message and exit code
    MISUSE."""

    group_class = Group

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            import_module(COMMANDS[cmd_name].module).add_command(self)
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        for title, names in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.help) for name, entry in names.items()])

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
        return f"{name or 'the disk'}: {error.strerror}\n  try: free some space"
    if name is not None:
        inside = Path(os.path.realpath(str(error.filename))).is_relative_to(ROOT.resolve())
        elsewhere = "a clone of Takt that you may write to: it builds in its own folder" if inside else "another folder"
        return f"{name}: {error.strerror}\n  try: {elsewhere}, or its owner"
    if "temporary directory" in str(error.strerror):  # tempfile's own words
        return "no folder for temporary files\n  try: free some space in /tmp, or set TMPDIR to another folder"
    if error.errno == errno.ENOENT:  # the current folder is the only one without a name in the error
        return "the current folder was deleted\n  try: cd to another one"
    return None


def _show_version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        commit = revision()
        click.echo(f"takt {version()}" + (f" ({commit})" if commit else ""))
        context.exit(YES)


cli = Cli(
    name="takt",
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            expose_value=False,
            is_eager=True,
            callback=_show_version,
            help="Show the version, in a clone with its commit, and exit.",
        )
    ],
    help=HELP,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command. Returns its exit code, one of EXITS."""
    try:
        code = cli.main(arguments, prog_name="takt", standalone_mode=False)
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
