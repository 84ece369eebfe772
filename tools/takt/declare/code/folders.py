# SPDX-License-Identifier: Apache-2.0
"""Folders of headers that a table of system.toml names."""

from __future__ import annotations

from pathlib import Path

from takt.declare.schema.locate import Path as Where
from takt.declare.schema.reader import Document
from takt.support.errors import did_you_mean
from takt.support.files import fault_of, is_regular


def include(document: Document, label: str, where: Where, names: tuple[str, ...]) -> tuple[Path, ...]:
    """The folders of the key `include`, of the application's folder. UserError: one is not there, or is none."""
    folder = document.path.resolve().parent
    for number, name in enumerate(names):
        path, said = folder / name, f'{label}: include: "{name}"'
        if path.is_dir():
            continue
        if is_regular(path):
            document.fail((*where, number), f"{said} is a file", f'its folder, "{Path(name).parent}"')
        parent = path.parent
        known = sorted(one.name for one in parent.iterdir() if one.is_dir()) if parent.is_dir() else []
        near = did_you_mean(path.name, known[:20])
        document.fail((*where, number), f"{said} {fault_of(path)}", near or "a folder, relative to that of system.toml")
    return tuple(folder / name for name in names)
