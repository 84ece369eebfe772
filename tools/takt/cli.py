# SPDX-License-Identifier: Apache-2.0
"""The command line. Each command is a module with `add_command(cli)`: in takt.commands, or in a room of its own."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import click

from takt.commands import (
    advise,
    bench,
    build,
    check,
    generate,
    measure,
    new,
    reflect,
    report,
    reproduce,
    run,
    search,
    trace,
)
from takt.commands.exchange import export_model, import_model, sbom, schema
from takt.dev import docs, testing
from takt.hardware import proofs
from takt.hints import command as hints
from takt.reflect import serve
from takt.streams import OutputLost
from takt.support.errors import EXITS, INTERRUPTED, MISUSE, NO, YES, UserError, did_you_mean
from takt.support.names import line_of, shown
from takt.support.provision import ROOT
from takt.support.version import revision, version
from takt.sweep import command as sweep

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


class Module(Protocol):
    """A module with a command."""

    def add_command(self, cli: click.Group, /) -> None: ...


# In the order of work; a section of `takt --help` each.
SECTIONS: dict[str, dict[str, Module]] = {
    "From declaration to report": {
        "check": check,
        "search": search,
        "advise": advise,
        "report": report,
        "build": build,
        "run": run,
        "measure": measure,
        "trace": trace,
        "sbom": sbom,
    },
    "Around it": {
        "new": new,
        "import": import_model,
        "export": export_model,
        "schema": schema,
        "generate": generate,
        "hints": hints,
        "docs": docs,
        "reflect": reflect,
        "reflectd": serve,
        "sweep": sweep,
        "reproduce": reproduce,
        "bench": bench,
        "formal": proofs,
        "test": testing,
    },
}


class Group(click.Group):
    """Commands, with the closest name for a misspelt one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
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


def load_commands() -> Cli:
    """The command line with every command."""
    for modules in SECTIONS.values():
        for module in modules.values():
            module.add_command(cli)
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
