# SPDX-License-Identifier: Apache-2.0
"""No include goes against an arrow of the house (ARCHITECTURE.md), and the inner rooms need no C library."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PORTABLE = ("kernel/port.h", "kernel/include")  # the kernel, for what is below it
# What a room may include besides itself. A room that is not here may include anything.
ARROWS = {
    "base": (),
    "analysis": ("base",),
    "kernel": ("base", "analysis"),
    "ports": ("base", *PORTABLE, "kernel/process/process.h", "kernel/process/calls.h"),
    "chips": ("base", *PORTABLE, "ports", "runner/include"),
    "boards": (*PORTABLE, "chips", "ports", "runner/include"),
    "runner": ("kernel", "base", "net/can/include"),
    "net/can": ("base",),
    "net/e2e": ("base",),
    "net/clock": ("base",),
    "replay": ("base", "kernel/include", "runner/include"),
    "reflect/core": ("base", "analysis"),
    "reflect/linux": ("base", "reflect/core"),
}
# The inner ones need no C library.
INNER = ("base", "analysis", "kernel", "net/can", "net/e2e", "net/clock", "reflect/core")
# Found through the include path: the port's, the preset's, the scheduler's and the chip's own.
SEAMS = {"takt_port_inline.h", "takt_preset.h", "takt_sched.h", "takt_app.h", "semihosting_call.h"}
# memcpy and memset: the compiler needs them anyway, so every port has them.
FREESTANDING = {"string.h", "limits.h", "stdalign.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdnoreturn.h"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)


def sources(room: str) -> list[Path]:
    """C files of a room but its unit tests, which may include what they test with."""
    return [path for path in sorted((ROOT / room).rglob("*.[chS]")) if "test" not in path.relative_to(ROOT).parts]


def resolve(name: str, includer: Path) -> Path | None:
    """The file of ours that an include names."""
    folders = [
        includer.parent,
        ROOT,
        *ROOT.glob("*/include"),
        *ROOT.glob("net/*/include"),
        *ROOT.glob("reflect/*/include"),
        ROOT / "kernel",
    ]
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def breaches(room: str, path: Path) -> list[str]:
    """Includes of a file that its room may not have."""
    found = []
    for quote, name in INCLUDE.findall(path.read_text(encoding="utf-8")):
        target = resolve(name, path)
        if target is None:
            if name in SEAMS:
                continue
            if quote == '"':
                found.append(f"{path.relative_to(ROOT)} includes {name}, which is nowhere")
            elif room in INNER and name not in FREESTANDING:
                found.append(f"{path.relative_to(ROOT)} includes <{name}>, which needs a C library")
            continue
        inside = str(target.resolve().relative_to(ROOT))
        if not any(inside == allowed or inside.startswith(f"{allowed}/") for allowed in (room, *ARROWS[room])):
            found.append(f"{path.relative_to(ROOT)} includes {inside}: no arrow from {room}")
    return found


@pytest.mark.parametrize("room", ARROWS)
def test_no_include_against_an_arrow(room: str) -> None:
    assert [text for path in sources(room) for text in breaches(room, path)] == []


def test_the_rooms_are_seen() -> None:
    """A wrong path would make the test above pass on nothing."""
    assert all(sources(room) for room in INNER)


def test_an_include_against_an_arrow_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "base").mkdir()
    (tmp_path / "kernel").mkdir()
    (tmp_path / "kernel" / "port.h").write_text("")
    wrong = tmp_path / "base" / "list.h"
    wrong.write_text('#include <stdio.h>\n# include "kernel/port.h"\n#include "gone.h"\n#include <stdint.h>\n')
    monkeypatch.setattr(f"{__name__}.ROOT", tmp_path)
    assert breaches("base", wrong) == [
        "base/list.h includes <stdio.h>, which needs a C library",
        "base/list.h includes kernel/port.h: no arrow from base",
        "base/list.h includes gone.h, which is nowhere",
    ]
