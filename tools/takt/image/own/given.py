# SPDX-License-Identifier: Apache-2.0
"""An image of a build of one's own, for `takt run --image`."""

from __future__ import annotations

from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from takt.image import build, stack_bounds
from takt.image.application import elf_symbols
from takt.image.build import Image
from takt.image.tables import generate
from takt.prove.proof import Proved
from takt.support import plain
from takt.support.errors import UserError
from takt.support.files import shown_path


def image_of(proved: Proved, path: Path) -> Image:
    """The image of a build of one's own, not built here. UserError: it is none of this system, as proved now."""
    system, board = proved.system, proved.board
    build.refuse_kind(proved)
    records = build.records_of(proved, system.engine)
    folder = build.folder_of(system, board, proved.choice.scheduler)
    folder = folder.with_name(f"{folder.name}-own")
    digest = generate.generate_proved(proved, folder / "generated")
    found = _proof_hash_of(path)
    if found is None:
        raise UserError(f"{shown_path(path)} is no image of Takt", "what takt_application or takt build made")
    if found != int(digest, 16):
        problem = f"{shown_path(path)} was not built from {shown_path(system.path)} for {board.name} as it is now"
        raise UserError(problem, "build it again; --board and --scheduler as it was built with")
    image = plain.path(path)
    kernel = build.rooms(board, build.options(proved))  # where the user's objects are is not known
    stacks = stack_bounds.bounds(proved, image, [kernel]) if stack_bounds.known(board.port) else ()
    typed = system.console.typed if system.console else None
    return Image(image, folder, found, *build.sizes(board, image), system.protection, records, stacks, typed)


def _proof_hash_of(path: Path) -> int | None:
    """The hash that an image carries; None: it is no image of Takt."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            found = elf_symbols.named(elf, "takt_proof_hash")
            if found is None or not found.placed:
                return None
            section = elf.get_section(found.section)
            begin = found.value - section["sh_addr"]
            return int.from_bytes(section.data()[begin : begin + 8], "little")
    except (ELFError, OSError, ValueError, KeyError):
        return None
