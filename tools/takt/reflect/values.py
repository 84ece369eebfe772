# SPDX-License-Identifier: Apache-2.0
"""`takt reflect echo` and `pub`: values as text, in and out."""

from __future__ import annotations

import json
import os
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from takt.support.c.areas import SIZE_MAX
from takt.support.names import line_of, shown
from takt.support.options import json_option

if TYPE_CHECKING:
    from takt.reflect.areas import Value, Writer

TEXT = "text"
HEX = "hex"
Command = TypeVar("Command", bound=Callable[..., Any])


def format_option(command: Command) -> Command:
    return click.option(
        "--format",
        "shape",
        metavar="F",
        default=TEXT,
        show_default=True,
        help='Format of a value: text, hex, or numbers as Python\'s struct writes them ("<3d": three doubles).',
    )(command)


def checked(shape: str) -> str:
    """The format, with "<" where it says nothing of the order of bytes. UserError: it is none."""
    from takt.support.errors import UserError

    if shape in (TEXT, HEX):
        return shape
    full = shape if shape[:1] in "<>=!@" and shape else f"<{shape}"
    try:
        struct.calcsize(full)
    except (struct.error, UnicodeEncodeError) as error:
        why = error if isinstance(error, struct.error) else "bad char in struct format"
        raise UserError(
            f'--format "{shown(shape)}": {why}', '"text", "hex", or a format such as "<3d" or "<Iff"'
        ) from None
    return full


def read(data: bytes | bytearray, shape: str) -> str | list[Any]:
    """A value as it is shown. UserError: it has not the length that the format has."""
    from takt.support.errors import UserError

    if shape == TEXT:
        return data.decode("utf-8", "backslashreplace")
    if shape == HEX:
        return data.hex(" ")
    try:
        return list(struct.unpack(shape, data))
    except struct.error:
        wanted = struct.calcsize(shape)
        raise UserError(f'a value of {len(data)} bytes, but format "{shape}" has {wanted}', "--format hex") from None


def written(words: Sequence[str], shape: str) -> bytes:
    """A value from words of the command line or of a line. UserError: they are none of that format."""
    from takt.support.errors import UserError

    if shape == TEXT:
        return os.fsencode(" ".join(words))  # bytes as they came, also those that are no UTF-8
    try:
        if shape == HEX:
            return bytes.fromhex(" ".join(words))
        return struct.pack(shape, *(_number(word) for word in words))
    except (ValueError, OverflowError, struct.error) as error:
        raise UserError(f'"{" ".join(words)}" is not a value of format "{shape}": {error}', "--format text") from None


def _number(word: str) -> int | float:
    try:
        return int(word, 0)
    except ValueError:
        return float(word)


def duration(context: click.Context, parameter: click.Parameter, text: str | None) -> int | None:
    """An option that is a duration, in ns."""
    from takt.support import durations
    from takt.support.errors import UserError

    del context
    try:
        return None if text is None else durations.parse(text, positive=True)
    except UserError as error:
        raise UserError(f'{parameter.opts[0]} "{text}": {error.problem}', error.hint) from None


def add_command(group: click.Group) -> None:
    @group.command()
    @click.argument("area")
    @format_option
    @click.option("--count", type=click.IntRange(1), metavar="N", help="End after N values.")
    @click.option(
        "--timeout",
        callback=duration,
        metavar="T",
        help='End with exit code 1 after this time without a value, such as "2 s".',
    )
    @click.option("--last", is_flag=True, help="Print only the newest value each time, and skip older ones.")
    @json_option
    def echo(area: str, shape: str, count: int | None, timeout: int | None, last: bool, as_json: bool) -> int:
        """Print values of an area as they are written, from the next one on; with --json one document a line."""
        from takt.reflect import areas

        shape = checked(shape)
        shown = 0
        with areas.Reader(area) as reader:
            while count is None or shown < count:
                if not reader.wait(None if timeout is None else timeout / 1e9):
                    click.echo(f"takt: {area}: no value for {timeout} ns", err=True)
                    return 1
                value = reader.read() if last else reader.take()
                if value is not None:
                    _show(value, shape, reader.lost, as_json)
                    shown += 1
        return 0

    @group.command(context_settings={"ignore_unknown_options": True})  # such as -2
    @click.argument("area")
    @click.argument("words", nargs=-1, metavar="[VALUE]...")
    @format_option
    @click.option(
        "--size",
        type=click.IntRange(1, SIZE_MAX),
        metavar="BYTES",
        help="Most bytes of a value (default: those of the first).",
    )
    @click.option(
        "--depth",
        type=click.IntRange(2, 4096),
        default=8,
        show_default=True,
        help="Number of values that the area keeps: a power of two.",
    )
    @click.option(
        "--period", callback=duration, metavar="T", help='Write the value again with this period, such as "10 ms".'
    )
    @click.option("--count", type=click.IntRange(1), metavar="N", help="End after N values.")
    @click.option("--keep", callback=duration, metavar="T", help="Stay the writer for this time after the last value.")
    def pub(
        area: str,
        words: tuple[str, ...],
        shape: str,
        size: int | None,
        depth: int,
        period: int | None,
        count: int | None,
        keep: int | None,
    ) -> None:
        """Write values to an area: VALUE, or without it each line of standard input. The name is free when it ends;
        readers of the area keep its last values."""
        from takt.reflect import areas

        shape = checked(shape)
        values = _values(words, shape, period, count)
        first = next(values, None)
        if first is None:
            return
        with areas.Writer(area, size or max(len(first), 1), depth) as writer:
            _write_all(writer, first, values, period)
            time.sleep((keep or 0) / 1e9)


def _write_all(writer: Writer, first: bytes, values: Iterator[bytes], period_ns: int | None) -> None:
    """The first value now, the others on its grid: one that is late is written at once, and moves none; of times
    that went by meanwhile none is made up for."""
    due_ns = time.monotonic_ns()
    writer.write(first)
    for value in values:
        if period_ns is not None:
            due_ns += period_ns
            late_ns = time.monotonic_ns() - due_ns
            due_ns += max(0, late_ns) // period_ns * period_ns
            time.sleep(max(0, -late_ns) / 1e9)
        writer.write(value)


def _show(value: Value, shape: str, lost: int, as_json: bool) -> None:
    shown = read(value.data, shape)
    if as_json:
        document = {"number": value.number, "time_ns": value.time_ns, "lost": lost, "value": shown}
        click.echo(json.dumps(document))
    else:
        text = line_of(shown) if isinstance(shown, str) else " ".join(f"{number}" for number in shown)
        click.echo(f"{value.number} {text}")
    sys.stdout.flush()


def _values(words: Sequence[str], shape: str, period: int | None, count: int | None) -> Iterator[bytes]:
    """VALUE, once or as often as it is wanted; or what each line of standard input says."""
    if not words:
        for number, data in enumerate(sys.stdin.buffer):
            if number == count:
                return
            line = os.fsdecode(data)
            yield written([line.rstrip("\r\n")] if shape == TEXT else line.split(), shape)
        return
    value = written(words, shape)
    for _ in range(count or (1 if period is None else sys.maxsize)):
        yield value
