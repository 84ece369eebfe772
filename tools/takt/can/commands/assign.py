# SPDX-License-Identifier: Apache-2.0
"""`takt can assign`"""

from __future__ import annotations

import difflib
import re
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from takt.can.commands import values
from takt.can.commands.options import Bus, bus_options
from takt.support import console
from takt.support.errors import NO, YES, UserError
from takt.support.files import refusing, shown_path, write_whole
from takt.support.names import shown
from takt.support.options import json_option

if TYPE_CHECKING:
    from takt.can.identifiers.assign import Limits, Range
    from takt.can.identifiers.words import Result
    from takt.can.rewrite.rewrite import Source

_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,3})?)\s*%?")


def add_command(group: click.Group) -> None:
    @group.command(name="assign")
    @bus_options
    @click.option(
        "--range",
        "ranges",
        metavar="A-B",
        multiple=True,
        help="New identifiers are of this range, 0x100-0x6FF or 0x18000000-0x18FFFFFF (more than three digits: of 29 "
        "bits); may be repeated. Default: those that the messages have now.",
    )
    @click.option("--frozen", metavar="NAME", multiple=True, help="This message keeps its identifier; may be repeated.")
    @click.option(
        "--within",
        metavar="SHARE",
        help="Enough: each response within this share of its deadline, 80% or 100%, so that fewer identifiers change "
        "(default: the tightest as little tight as possible).",
    )
    @click.option("--output", "-o", metavar="FILE", type=click.Path(path_type=Path), help="Write the new file there.")
    @click.option("--in-place", "overwrite", is_flag=True, help="Write it over FILE.")
    @json_option
    def assign_command(
        bus: Bus,
        ranges: tuple[str, ...],
        frozen: tuple[str, ...],
        within: str | None,
        output: Path | None,
        overwrite: bool,
        as_json: bool,
    ) -> int:
        """Find identifiers with which every message of a bus arrives by its deadline.

        FILE and its options are those of `takt can check`. Prints a unified diff of the file, in which only identifiers
        change, wherever the file names them; the summary is on standard error then. Exit code 0: proved with the new
        identifiers; 1: none were found, with the reason; 2: misuse. docs/can.md
        """
        from takt.can.identifiers import words
        from takt.can.rewrite import rewrite

        target = _target(bus.file, output, overwrite)
        source = rewrite.load(bus.file, bus.name)
        limits = _limits(bus, source, ranges, frozen, within)
        with console.doing("looking for identifiers"):
            result, data = _assigned(bus, source, limits, target)
        if target is not None and data is not None:
            with refusing(target, "another --output"):
                write_whole(target, data)
        if as_json:
            console.print_json(words.document(result))
        elif data is not None and target is None:
            click.echo(words.text(result), err=True)
            click.echo(_diff(source, data), nl=False)
        else:
            click.echo(words.text(result))
            if target is not None and data is not None:
                click.echo(f"\n{shown_path(target)} has these identifiers.")
        return YES if result.after is not None and result.after.feasible else NO


def _target(file: Path, output: Path | None, overwrite: bool) -> Path | None:
    if overwrite and output is not None:
        raise UserError("--output and --in-place: two files to write", "one of them")
    if output is not None and output.exists() and output.samefile(file):
        raise UserError(f"--output: {shown_path(output)} is the file that is read", "--in-place, or another file")
    if output is not None and output.suffix.lower() != file.suffix.lower():
        raise UserError(f"--output: the suffix is not {shown(file.suffix)}", f"{output.stem}{shown(file.suffix)}")
    return file if overwrite else output


def _limits(bus: Bus, source: Source, ranges: tuple[str, ...], frozen: tuple[str, ...], within: str | None) -> Limits:
    from takt.can import find
    from takt.can.identifiers.assign import Limits, identifier_of

    kept = {identifier_of(find.message(bus.messages, name, "--frozen")) for name in frozen}
    unnamed = {identifier_of(one) for one in bus.messages} - source.named
    return Limits(tuple(map(_range, ranges)), frozenset(kept | unnamed), source.named, _within(within))


def _range(text: str) -> Range:
    try:
        return values.identifiers(text)
    except UserError as error:
        raise UserError(f"--range: {error.problem}", error.hint) from None


def _within(text: str | None) -> Fraction | None:
    if text is None:
        return None
    found = _PERCENT.fullmatch(text.strip())
    share = Fraction(found[1]) / 100 if found else Fraction(0)
    if not 0 < share <= 1:
        raise UserError(f'--within: "{text}" is no share of the deadlines', "80%, or up to 100%")
    return share


def _assigned(bus: Bus, source: Source, limits: Limits, target: Path | None) -> tuple[Result, bytes | None]:
    """What was found, and the new file if it says something else; its verdict is that of what is read of it."""
    from takt.can import check
    from takt.can.files import read
    from takt.can.identifiers import assign
    from takt.can.identifiers.words import Result
    from takt.can.rewrite import rewrite

    asked = bus.answer()
    unnamed = [row.message for row in asked.rows if assign.identifier_of(row.message) not in source.named]
    found = assign.assign(asked, limits)
    if found.identifiers is None:
        return Result(found, None, assign.refusal(found), unnamed, None), None
    data = rewrite.rewritten(source, bus.messages, found.identifiers)
    after = check.answer(read.messages_of(bus.file, data, bus.name), bus.question)
    written = None if target is None else shown_path(target)
    return Result(found, after, None, unnamed, written), data


def _diff(source: Source, data: bytes) -> bytes:
    name = shown_path(source.path)
    lines = difflib.diff_bytes(
        difflib.unified_diff,
        source.data.splitlines(keepends=True),
        data.splitlines(keepends=True),
        f"a/{name}".encode(),
        f"b/{name}".encode(),
    )
    return b"".join(one if one.endswith(b"\n") else one + b"\n\\ No newline at end of file\n" for one in lines)
