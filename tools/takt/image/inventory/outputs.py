# SPDX-License-Identifier: Apache-2.0
"""The files that a build leaves behind."""

from __future__ import annotations

from pathlib import Path

from takt.declare.schema.boards import Board
from takt.image.build import Image
from takt.support import children
from takt.support.errors import UserError
from takt.support.files import shown_path


def outputs(image: Image, board: Board) -> dict[str, Path]:
    """What a build leaves behind, by what it is; of a board also the image as debug probes and boot loaders take it.

    UserError: the tool that makes these fails.
    """
    found = {"image": image.path}
    if board.tools:
        for kind, suffix in (("binary", ".bin"), ("hex", ".hex")):
            found[kind] = image.path.with_suffix(suffix)
            form = "ihex" if kind == "hex" else kind
            done = children.run([f"{board.tools}objcopy", "-O", form, image.path, found[kind]])
            if done.returncode != 0:
                raise UserError(f"{shown_path(found[kind])}: {done.stderr.strip()}", "a full disk?")
    found["map"] = image.folder / "application.map"
    found["compile commands"] = image.folder / "compile_commands.json"
    return found
