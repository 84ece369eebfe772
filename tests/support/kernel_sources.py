# SPDX-License-Identifier: Apache-2.0
"""The C files of the kernel for tests that compile it by themselves, for the host."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CMAKE = ROOT / "cmake" / "kernel_as_one.cmake"


def rooms() -> tuple[str, ...]:
    """Of a kernel without processes: folders of kernel/."""
    found = re.search(r"^    set\(rooms ([a-z ]+)\)$", CMAKE.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return tuple(found[1].split())


def kernel_sources() -> list[Path]:
    """As takt_kernel_sources of CMAKE, by name."""
    found = [path for room in rooms() for path in (ROOT / "kernel" / room).glob("*.c")]
    found += [ROOT / "kernel" / "process" / name for name in ("unprotected.c", "quota.c")]
    found += [path for name in ("queues", "shared") for path in (ROOT / "kernel" / "engine" / name).glob("*.c")]
    return sorted(found, key=lambda path: path.name)


def host_sources() -> list[Path]:
    """The same with the port and what both include."""
    return [*kernel_sources(), *sorted((ROOT / "ports/host").glob("*.c")), *sorted((ROOT / "base").glob("*.c"))]
