# SPDX-License-Identifier: Apache-2.0
"""A file of another tool, whichever it is, as a declaration that `takt check` takes."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from takt.declare import declaration
from takt.declare.exchange import numbers, toml_text
from takt.declare.exchange.assemble import assemble
from takt.declare.exchange.model import Found, Left, Source
from takt.declare.formats import amalthea, cheddar, csv_file, mast, mast_xml, xml_tree
from takt.declare.schema.model import System
from takt.support import files
from takt.support.errors import UserError
from takt.support.files import shown_path
from takt.support.names import shown

FORMATS = ("csv", "amalthea", "mast", "cheddar")
BYTES_MAX = 32_000_000
_XML = (".amxmi", ".xml", ".xmlv2", ".xmlv3")


@dataclass(frozen=True)
class Imported:
    """A system of another tool. `text`: its system.toml."""

    tool: str
    system: System
    text: str
    left: tuple[Left, ...]
    notes: tuple[str, ...]
    renamed: dict[str, str]

    @property
    def optimistic(self) -> tuple[Left, ...]:
        """What makes the bounds smaller than those of what the file describes."""
        return tuple(one for one in self.left if one.optimistic)


def load(source: Source, wanted: str | None, board: str) -> Imported:
    """Reads a file. `wanted`: its format; None: as its name and its beginning say. UserError: it cannot be declared."""
    data = files.read(source.path, BYTES_MAX, "a file of another tool")
    if source.unit is not None and numbers.unit_ns(source.unit) is None:
        raise UserError(f"--unit {source.unit}: unknown unit", "ns, us, ms, s or min")
    if not data.strip(b"\0 \t\r\n\xef\xbb\xbf\xff\xfe"):
        source.fail(0, "the file is empty", "a file of another tool")
    found = _found(source, wanted or _format(source, data), data)
    name = re.sub(r"[^A-Za-z0-9_.-]+", "_", source.path.stem, flags=re.ASCII) or "imported"
    system, renamed = assemble(source, found, board, name)
    left = tuple(sorted(found.left, key=lambda one: (not one.optimistic, one.line)))
    notes = (*found.notes, *(f"{shown(old)} is called {new}" for old, new in renamed.items()))
    head = [f"Imported from {shown(source.path.name)} ({found.tool})."]
    head += [f"- {note}" for note in notes]
    text = toml_text.text(system, head, left)
    return Imported(found.tool, _checked(source, system, text), text, left, notes, renamed)


def _format(source: Source, data: bytes) -> str:
    """The format by the file's name, then by its first bytes."""
    suffix = source.path.suffix.lower()
    if suffix in (".csv", ".tsv"):
        return "csv"
    begin = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if suffix in _XML or begin == b"<" or data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "xml"
    if re.match(rb"(\s|--[^\n]*\n)*[A-Za-z_]+\s*\(", data.removeprefix(b"\xef\xbb\xbf")):
        return "mast"
    if re.match(rb"[^\n(]*[,;\t|]", data):
        return "csv"
    raise source.error(0, "the format is not clear from its name or its beginning", f"--format {' or '.join(FORMATS)}")


def _found(source: Source, kind: str, data: bytes) -> Found:
    if kind == "csv":
        return csv_file.read(source, data)
    if kind == "mast" and not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        return mast.read(source, text.replace("\0", " "))
    root = xml_tree.read(source, data)
    if amalthea.is_root(root) and kind in ("xml", "amalthea"):
        return amalthea.read(source, root)
    if cheddar.is_root(root) and kind in ("xml", "cheddar"):
        return cheddar.read(source, root)
    if mast_xml.is_root(root) and kind in ("xml", "mast"):
        return mast.read_objects(source, mast_xml.objects(source, root), None)
    problem = f"not a model of AMALTHEA, Cheddar or MAST: its root is <{root.name[:40]}>"
    raise source.error(root.line, problem, "a project of Cheddar, a model of MAST, or an .amxmi with the whole model")


def _checked(source: Source, system: System, text: str) -> System:
    """The declaration as `takt check` reads it. UserError: it does not take it, so what the file describes cannot be
    declared."""
    with tempfile.TemporaryDirectory(prefix="takt.") as folder:
        path = Path(folder) / declaration.FILE_NAME
        files.write_whole(path, text)
        try:
            loaded = declaration.load(path)
        except UserError as error:
            problem = re.sub(rf"^{re.escape(shown_path(path))}(:\d+)?: ", "", error.problem)
            raise UserError(f"{shown_path(source.path)}: it cannot be declared: {problem}", error.hint) from None
    return replace(loaded, path=source.path, name=system.name)
