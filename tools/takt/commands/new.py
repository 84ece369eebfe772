# SPDX-License-Identifier: Apache-2.0
"""`takt new DIR`: an application that checks, builds and runs."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

import click

from takt.declare.editor import json_schema
from takt.support.errors import UserError
from takt.support.files import read_text, write_all
from takt.support.names import shown
from takt.support.provision import ROOT

TEMPLATE = Path(__file__).parent / "templates" / "new"
FILES = ("system.toml", "app.c")
EDITOR = {name: f".vscode/{name}" for name in ("settings.json", "tasks.json", "launch.json", "build.sh")}
EDITOR["clangd"] = ".clangd"
SCHEMA = ".vscode/system.schema.json"

_NEXT = """made {folder}: three tasks that share data under a mutex
    system.toml  what must happen and by when
    app.c        the jobs
    .vscode      completion in system.toml, tasks and the debugger, for VS Code; .clangd for others (docs/editors.md)

Now
    ./takt check {folder}               does every deadline hold?
    ./takt run {folder} --board host    run it in virtual time on this machine
    ./takt run {folder}                 run it on an emulated Cortex-M3; --board rv32-virt: on an emulated RISC-V

Then break it: in system.toml give control a wcet of "9.9 ms", check again, read the refusal, and mend it.
"""


@click.command()
@click.argument("folder", metavar="DIR")
def new(folder: str) -> int:
    """Create a small working application in DIR: a declaration and its C code.

    DIR must not exist yet, or be empty. No file is overwritten.
    """
    path = Path(folder)
    try:
        if not folder:
            raise UserError("the folder's name is empty", "takt new first")
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise UserError(f"{shown(folder)} exists already and is not an empty folder", "another name")
        there = path.exists()
        path.mkdir(parents=True, exist_ok=True)
        try:
            (path / ".vscode").mkdir()
            write_all({path / name: text for name, text in _texts(path).items()})
        except OSError:
            if (path / ".vscode").is_dir():
                (path / ".vscode").rmdir()
            if not there:
                path.rmdir()
            raise
    except OSError as error:
        raise UserError(f"{shown(folder)} cannot be created: {error.strerror}", "another folder") from None
    click.echo(_NEXT.format(folder=shown(folder)), nl=False)
    return 0


def _texts(folder: Path) -> dict[str, str]:
    """The files by their names in the folder."""
    texts = {name: read_text(TEMPLATE / name) for name in FILES}
    texts["system.toml"] = f"#:schema ./{SCHEMA}\n{texts['system.toml']}"
    where = {"@ROOT@": str(ROOT), "@FOLDER@": quote(str(folder.resolve()))}
    for template, name in EDITOR.items():
        text = read_text(TEMPLATE / "vscode" / template)
        for word, value in where.items():
            text = text.replace(word, value if name.endswith(".sh") else json.dumps(value)[1:-1])
        texts[name] = text
    return {**texts, SCHEMA: json_schema.text()}


def add_command(cli: click.Group) -> None:
    cli.add_command(new)
