# SPDX-License-Identifier: Apache-2.0
"""The rooms of the kernel are those of the table in ARCHITECTURE.md: includes go down, and no room is too large."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from house.test_arrows import INCLUDE, ROOT, SEAMS, resolve, sources

ROW = re.compile(r"^\| (interface )?`(kernel/[^`]*?)/?` \| [^|]* \| ([^|]*) \|$", re.MULTILINE)
FILES, LINES = 15, 3000  # of a room, at most; public headers aside
BESIDE = {"CMakeLists.txt", "port.h"}
OUTSIDE = ("base/", "analysis/")


@dataclass(frozen=True)
class Room:
    path: str
    interface: bool
    below: tuple[str, ...]  # that it may include, interfaces aside


def rooms() -> list[Room]:
    """The rows of the table, from the top down."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").partition("### Rooms of the kernel")[2]
    table = text.partition("\n#")[0]
    return [
        Room(path, interface != "", tuple(name.rstrip("/") for name in re.findall(r"`([^`]+)`", cell)))
        for interface, path, cell in ROW.findall(table)
    ]


def inside(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def room_of(path: str) -> Room:
    """The room of a file: the one with the longest path, so that an interface's file is not of the room around it."""
    return max((room for room in rooms() if inside(path, room.path)), key=lambda room: len(room.path))


def breaches() -> list[str]:
    """Includes that no arrow allows."""
    found = []
    faces = [room.path for room in rooms() if room.interface]
    for path in sources("kernel"):
        name = str(path.relative_to(ROOT))
        room = room_of(name)
        for _, include in INCLUDE.findall(path.read_text(encoding="utf-8")):
            target = resolve(include, path)
            if target is None or include in SEAMS:
                continue
            what = str(target.resolve().relative_to(ROOT))
            allowed = (*faces, *room.below, room.path)
            if not what.startswith(OUTSIDE) and room_of(what).path not in allowed:
                found.append(f"{name} includes {what}: no arrow from {room.path}")
    return found


def test_includes_go_along_the_arrows() -> None:
    assert breaches() == []


def test_arrows_go_down() -> None:
    order = [room.path for room in rooms()]
    assert len(order) == len(set(order))
    assert {path for room in rooms() for path in room.below} <= set(order)
    assert [room.path for room in rooms() for path in room.below if order.index(path) <= order.index(room.path)] == []


def test_every_arrow_is_used() -> None:
    """An arrow that nothing needs is one that something will."""
    used = set()
    for path in sources("kernel"):
        room = room_of(str(path.relative_to(ROOT)))
        targets = (resolve(include, path) for _, include in INCLUDE.findall(path.read_text(encoding="utf-8")))
        names = [str(target.resolve().relative_to(ROOT)) for target in targets if target is not None]
        used |= {(room.path, room_of(name).path) for name in names if name.startswith("kernel/")}
    assert [(room.path, path) for room in rooms() for path in room.below if (room.path, path) not in used] == []


def test_nothing_lies_beside_the_rooms() -> None:
    kernel = ROOT / "kernel"
    assert {path.name for path in kernel.iterdir() if path.is_file()} == BESIDE
    known = {room.path.split("/")[1] for room in rooms()} | {"test", *BESIDE}
    assert {path.name for path in kernel.iterdir()} == known


@pytest.mark.parametrize("folder", sorted({path.parent for path in sources("kernel")} - {ROOT / "kernel"}, key=str))
def test_no_room_is_too_large(folder: Path) -> None:
    if "include" in folder.parts:
        return
    found = [path for path in folder.iterdir() if path.is_file()]
    assert len(found) <= FILES
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in found) <= LINES
