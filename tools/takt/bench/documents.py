# SPDX-License-Identifier: Apache-2.0
"""Documents of figures: those that are kept (benchmarks/measured), how one is printed, and where its pictures go."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from takt.support import console, provision
from takt.support.files import read_text, write_whole
from takt.support.provision import ROOT

FOLDER = ROOT / "benchmarks" / "measured"
ROW_MAX = 400  # characters
Command = TypeVar("Command", bound=Callable[..., Any])


def results(name: str) -> Any:
    """A document that is kept."""
    return json.loads(read_text(FOLDER / f"{name}.json"))


def keep(path: Path, document: Any) -> None:
    """Writes figures, about a row a line: a change is a short diff."""
    write_whole(path, _text(document) + "\n")


def _text(value: Any) -> str:
    flat = json.dumps(value)
    if len(flat) <= ROW_MAX or not isinstance(value, dict | list):
        return flat
    if isinstance(value, list):
        return "[" + ",\n".join(map(_text, value)) + "]"
    return "{" + ",\n".join(f"{json.dumps(key)}: {_text(inner)}" for key, inner in value.items()) + "}"


def out_option(command: Command) -> Command:
    """--out FOLDER."""
    return click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        help="Folder for the pictures, as SVG (default: build/reproduction; with --json none are drawn).",
    )(command)


def folder_of(out: Path | None, as_json: bool) -> Path | None:
    """Where the pictures go, made before the work begins: not at its end is it said that they cannot. None: nowhere."""
    if out is None and as_json:
        return None
    folder = out or ROOT / "build" / "reproduction"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def tell(
    document: dict[str, Any],
    said: str | None,
    pictures: Callable[[dict[str, Any]], dict[str, str]],
    folder: Path | None,
) -> None:
    """Prints what is said of a document, or if nothing is the document itself, as JSON; and writes its pictures to a
    folder that is there."""
    if said is None:
        console.print_json(document)
    else:
        click.echo(said)
    if folder is None:
        return
    provision.require_python("plot")
    for name, text in pictures(document).items():
        write_whole(folder / name, text)
        console.err().print(f"takt: wrote {folder / name}", markup=False)
