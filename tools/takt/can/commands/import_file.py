# SPDX-License-Identifier: Apache-2.0
"""`takt can import`"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from takt.can.commands import options
from takt.support import console
from takt.support.errors import YES, UserError
from takt.support.options import json_option

if TYPE_CHECKING:
    from takt.can.check import Question
    from takt.can.messages import Message
    from takt.can.signals.c_code import Code
    from takt.can.signals.layout import Refused
    from takt.can.signals.system_file import Asked, SystemFile

_PREFIX_MAX = 64
SYSTEM = "system.toml"


def add_command(group: click.Group) -> None:
    @group.command(name="import")
    @click.argument("file", type=click.Path(path_type=Path))
    @click.option("--output", metavar="DIR", type=click.Path(path_type=Path), default=Path(), help="Default: here.")
    @click.option("--prefix", metavar="NAME", help="Of the files and of all names (default: as FILE is called).")
    @click.option("--message", "wanted", metavar="NAME", multiple=True, help="Only this one; several are possible.")
    @click.option("--bus", metavar="NAME", help="Of a file that describes several buses.")
    @click.option("--system", "node", metavar="NODE", help="Also write a system.toml for this node of the bus.")
    @click.option("--bitrate", metavar="RATE", help="With --system: of the bus, 500k, 1M ...")
    @click.option("--data-bitrate", metavar="RATE", help="With --system: of the data of FD frames.")
    @click.option("--fd", is_flag=True, help="With --system: every message is an FD frame.")
    @click.option("--period", metavar="TIME", help="With --system: of messages whose file says none.")
    @json_option
    def import_command(
        file: Path,
        output: Path,
        prefix: str | None,
        wanted: tuple[str, ...],
        bus: str | None,
        node: str | None,
        bitrate: str | None,
        data_bitrate: str | None,
        fd: bool,
        period: str | None,
        as_json: bool,
    ) -> int:
        """Write C code that packs and unpacks the signals of a bus, and the system.toml of a node.

        FILE: .dbc, .kcd, .arxml or .sym. Writes NAME.h and NAME.c: of each message a struct, with the physical values
        of its signals in integers, and two functions. They need no library, and no floating-point unit.

        --system NODE writes system.toml as well: the bus, the messages that NODE sends, and tasks that send them, for
        `takt check`. docs/can.md
        """
        from takt.can.files import read
        from takt.can.signals import c_code, layout, names, system_file

        _check_options(output, node, bitrate, any((data_bitrate, fd, period)))
        name = _prefix(prefix) if prefix is not None else names.lower(file.stem)
        found = [layout.of(*one) for one in _chosen(read.load_signals(file, bus), wanted)]
        layouts = [one for one in found if isinstance(one, layout.Layout)]
        refused = [one for one in found if isinstance(one, layout.Refused)]
        if not layouts:
            reason = f"{refused[0].name}: {refused[0].reason}" if refused else "no signals in it"
            raise UserError(f"{_shown(file)}: no message gets code: {reason}", "a file whose messages have signals")
        code = c_code.of(layouts, file.name, name)
        system = None
        if node is not None:
            question = options.question(bitrate or "", data_bitrate, fd, None, None, period, True)
            system = system_file.of(read.load(file, bus), _asked(file, output, node, bus, name, question))
        written = _write(output, code, system)
        if as_json:
            console.print_json(_document(written, code, refused, system))
        else:
            click.echo("\n".join([_text(written, code, refused), *(system_file.lines(system) if system else ())]))
        return YES


def _shown(path: Path) -> str:
    from takt.support.files import shown_path

    return shown_path(path)


def _prefix(text: str) -> str:
    from takt.can.signals import names

    if len(text) > _PREFIX_MAX or names.lower(text) != text:
        raise UserError(f'--prefix: "{text}" does not begin names in C', f"such as {names.lower(text)[:_PREFIX_MAX]}")
    return text


def _chosen(found: list[tuple[Message, Any]], wanted: tuple[str, ...]) -> list[tuple[Message, Any]]:
    from takt.can import find

    messages = [message for message, _ in found]
    chosen = [find.message(messages, name, "--message") for name in wanted]
    return [one for one in found if not wanted or one[0] in chosen]


def _check_options(output: Path, node: str | None, bitrate: str | None, others: bool) -> None:
    if node is None:
        if bitrate is not None or others:
            raise UserError("--bitrate, --data-bitrate, --fd and --period are for --system", "--system NODE")
        return
    if bitrate is None:
        raise UserError("--system needs --bitrate", "--bitrate 500k")
    if (output / SYSTEM).exists():
        problem = f"{_shown(output / SYSTEM)}: it is there, and is not written over"
        raise UserError(problem, "--output and another folder; then copy the tables that you want")


def _asked(file: Path, output: Path, node: str, bus: str | None, prefix: str, question: Question) -> Asked:
    """UserError: no system.toml can name the file."""
    from takt.can.signals.system_file import Asked

    path = os.path.relpath(file.resolve(), output.resolve())
    try:
        path.encode()
    except UnicodeEncodeError:
        raise UserError(f"{_shown(file)}: its name is no UTF-8", "another name") from None
    return Asked(node, question, path, bus, prefix)


def _write(folder: Path, code: Code, system: SystemFile | None) -> list[Path]:
    """All files. UserError, before anything is written: one is there and is none that this command wrote."""
    from takt.support import files

    texts = {folder / f"{code.name}.h": code.header, folder / f"{code.name}.c": code.source}
    for path in texts:
        first = code.header.partition(" from ")[0].encode()
        if path.exists() and files.read_first(path, len(first)) != first:
            raise UserError(f"{_shown(path)}: it is there, and takt can import did not write it", "another --prefix")
    with files.refusing(folder, "another --output"):
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in texts.items():
            files.write_if_changed(path, text)
        if system is not None:
            files.write_whole(folder / SYSTEM, system.text, new=True)
    return [*texts, *([folder / SYSTEM] if system is not None else [])]


def _text(written: list[Path], code: Code, refused: list[Refused]) -> str:
    signals = sum(len(one.fields) for one in code.records)
    lines = [f"{len(code.records)} messages with {signals} signals: {', '.join(map(_shown, written))}"]
    lines += [f"note: {one.name} gets no code: {one.reason}" for one in refused]
    raw = sum(field.signal.scale is None and not field.signal.floating for one in code.records for field in one.fields)
    if raw:
        lines.append(f"note: {raw} signals are raw: their physical values need more than 64 bits")
    return "\n".join(lines)


def _document(written: list[Path], code: Code, refused: list[Refused], system: SystemFile | None) -> dict[str, Any]:
    return {
        "files": [str(path) for path in written],
        "messages": [
            {
                "name": one.layout.message.name,
                "id": one.layout.message.identifier,
                "extended": one.layout.message.extended,
                "bytes": one.layout.message.size,
                "struct": one.name,
                "signals": [
                    {
                        "name": field.signal.name,
                        "field": field.name,
                        "type": field.type,
                        "divisor": None if field.signal.scale is None else field.signal.scale.divisor,
                        "unit": field.signal.unit or None,
                    }
                    for field in one.fields
                ],
            }
            for one in code.records
        ],
        "refused": [{"name": one.name, "reason": one.reason} for one in refused],
        "tasks": [{"name": name, "sends": sent} for name, sent in system.tasks.items()] if system else [],
    }
