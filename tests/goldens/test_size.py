# SPDX-License-Identifier: Apache-2.0
"""Bytes of the kernel are as reviewed (benchmarks/golden); a change shows up here and in the diff."""

from __future__ import annotations

import re
import subprocess

import pytest
import reviewed
import size

RAM = 0x20000000


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, int]]:
    return size.measure_all()


def test_the_sizes_are_as_reviewed(found: dict[str, dict[str, int]]) -> None:
    hint = "reviewed and meant? PYTHONPATH=tools .venv/bin/python benchmarks/size.py --update"
    assert reviewed.differences(reviewed.load(size.GOLDEN), found) == [], hint


@pytest.mark.parametrize("preset", ["lean", "standard"])
def test_no_byte_of_an_image_is_forgotten(preset: str) -> None:
    """Everybody's rows and what fills the gaps between sections are what the size tool says."""
    folder = size.image(preset)
    text = (folder / "application.map").read_text(encoding="utf-8")
    rows = size.count(text, (*size.OURS, "library", "other"))
    gaps = {"code": 0, "data": 0}
    for address, length in re.findall(r"^ \*fill\* +0x([0-9a-f]+) +0x([0-9a-f]+)", text, re.MULTILINE):
        gaps["data" if int(address, 16) >= RAM else "code"] += int(length, 16)
    counted = {kind: gap + sum(n for name, n in rows.items() if name.endswith(kind)) for kind, gap in gaps.items()}
    command = ["arm-none-eabi-size", "-A", str(folder / "application.elf")]
    listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows_of = [line.split() for line in listing.splitlines() if line.startswith(".")]
    sections = {name: int(length) for name, length, _ in rows_of}
    code, data = (".text", ".ARM.exidx"), (".interrupt_stack", ".noinit", ".data", ".bss")
    wanted = {"code": sum(sections[name] for name in code), "data": sum(sections[name] for name in data)}
    assert counted == wanted


MAP = """
Discarded input sections

 .text.gone     0x0000000000000000       0x40 kernel/libtakt_kernel.a(task.c.obj)

Linker script and memory map

.text           0x0000000000000000      0x100
 .text.takt_now
                0x0000000000000010       0x20 kernel/libtakt_kernel.a(start.c.obj)
                0x0000000000000010                takt_now
 .text.x        0x0000000000000030        0x8 base/libtakt_base.a(heap.c.obj)
 *fill*         0x0000000000000038        0x4
 .rodata.x.str1.1
                0x000000000000003c        0x5 kernel/libtakt_kernel.a(job.c.obj)
                                          0x9 (size before relaxing)
 .text.main     0x0000000000000044       0x10 CMakeFiles/application.dir/boards/run.c.obj
.bss            0x0000000020000000        0x8
 COMMON         0x0000000020000000        0x8 kernel/libtakt_kernel.a(start.c.obj)
 .debug_info    0x0000000000000000      0x999 kernel/libtakt_kernel.a(start.c.obj)
"""


def test_what_is_kept_is_counted_by_room_and_kind() -> None:
    assert size.count(MAP, size.OURS) == {"kernel code": 0x25, "kernel data": 8, "base code": 8}


def test_a_section_of_an_unknown_kind_is_not_passed_over() -> None:
    strange = " .fast          0x0000000000000000        0x4 kernel/libtakt_kernel.a(start.c.obj)\n"
    with pytest.raises(ValueError, match=r"\.fast"):
        size.count(MAP + strange, size.OURS)
