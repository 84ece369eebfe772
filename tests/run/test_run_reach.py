# SPDX-License-Identifier: Apache-2.0
"""What the image of a protected system lets a process reach: its regions, its calls, what it names and declares."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt, documented, keys
from elftools.elf.elffile import ELFFile
from running import FIRST_EMULATED, SECOND_EMULATED
from takt.declare.declaration import load, with_board
from takt.declare.schema import boards
from takt.image import build, link_checks
from takt.prove import proof
from takt.support.provision import ROOT

FOLDER = ROOT / "tests" / "protection" / "two"
Edited = Callable[..., Path]


def image_of(folder: Path, board: str) -> Path:
    proved = proof.prove(with_board(load(folder / "system.toml"), board))
    built = build.folder_of(proved.system, boards.load(board), proved.choice.scheduler)
    return next(path for path in (built / "application", built / "application.elf") if path.exists())


@pytest.mark.parametrize("board", SECOND_EMULATED)
def test_nothing_else_lies_in_the_regions_of_a_process(takt: Takt, board: str) -> None:
    """Every section of the image against what `check --json` says is granted, and every region against its contents."""
    assert takt("build", FOLDER, "--board", board).code == 0
    document = json.loads(takt("check", FOLDER, "--board", board, "--json").out)
    assert set(keys(document)) - {key for key in documented("check") if key.startswith("sensitivity")} <= documented(
        "check"
    )
    with image_of(FOLDER, board).open("rb") as file:
        sections = [
            (one.name, one["sh_addr"], one["sh_addr"] + one["sh_size"])
            for one in ELFFile(file).iter_sections()
            if one["sh_flags"] & 2 and one["sh_size"]
        ]
    granted: dict[str, set[str]] = {}
    for process in document["processes"]:
        assert process["entries"] <= process["entries_max"]
        for region in process["regions"]:
            inside = {
                name for name, low, high in sections if low < region["base"] + region["size"] and high > region["base"]
            }
            assert inside <= {f".takt_{region['name']}", f".takt_zero_{region['name']}"}
            granted.setdefault(region["name"], set()).update({process["name"]} if region["write"] else ())
            whole = [(low, high) for name, low, high in sections if name in inside]
            assert all(region["base"] <= low <= high <= region["base"] + region["size"] for low, high in whole)
    assert granted == {
        "shared_text": set(),
        "text_source": set(),
        "text_sink": set(),
        "memory_source": {"source"},
        "memory_sink": {"sink"},
        "shared_0": {"source"},
    }


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param(
            (
                "consumer.c",
                "    struct level now;\n",
                "    struct level now;\n    if (total == 1) {\n        takt_start(0);\n    }\n",
            ),
            "consumer.c calls takt_start, which belongs to the kernel",
            id="a function of the kernel",
        ),
        pytest.param(
            ("consumer.c", "    struct level now;\n", "    tick_handler();\n    struct level now;\n"),
            'consumer.c calls tick_handler, which belongs to process "source"',
            id="a function of another process",
        ),
        pytest.param(
            ("system.toml", 'gives = ["numbers"]\n', ""),
            'producer.c uses numbers, which process "source" does not declare\n  try: uses = ["numbers"]',
            id="an object that is not declared",
        ),
        pytest.param(
            ("system.toml", "console = true\n", ""),
            'consumer.c calls takt_board_console_write, but process "sink" does not declare console\n'
            "  try: console = true in its [[process]]",
            id="the console",
        ),
        pytest.param(
            (
                "producer.c",
                "static uint32_t ticks;\n",
                '#include "takt/board.h"\nstatic uint32_t ticks;\n'
                "size_t spare(uint8_t *bytes);\nsize_t spare(uint8_t *bytes)\n{\n"
                "    return takt_board_link_exchange(bytes, 1, bytes, 1);\n}\n",
            ),
            'producer.c calls takt_board_link_exchange, but process "source" does not declare serial',
            id="the serial line",
        ),
        pytest.param(
            ("sum.c", "static const uint32_t weights", "uint32_t weights"),
            "sum.c: weights is writable, but files in shared_sources may define only code and constants",
            id="data of shared sources",
        ),
        pytest.param(
            ("producer.c", "static uint32_t ticks;\n", "static uint32_t ticks;\nvoid takt_app_init(void)\n{\n}\n"),
            'takt_app_init is in a file of process "source", but the kernel calls it',
            id="a hook",
        ),
        pytest.param(
            ("system.toml", 'sources = ["consumer.c"]\n', ""),
            'consumer_job, the entry of task "consumer", is in no file of process "sink"',
            id="an entry elsewhere",
        ),
    ],
)
def test_what_a_process_may_not_reach(takt: Takt, edited: Edited, change: tuple[str, str, str], says: str) -> None:
    """The file, the name, and whose it is."""
    said = takt("build", edited(change))
    assert said.code == 2
    assert says in said.err
    assert "\n  try: " in said.err


@pytest.mark.parametrize("board", ["host", *FIRST_EMULATED])
def test_a_message_is_for_processes_that_share_it(takt: Takt, edited: Edited, board: str) -> None:
    """Its constants lie beside shared code on a board and in the shared memory on host: both are refused."""
    address = '#include "takt_app.h"\nconst void *it(void);\nconst void *it(void)\n{\n    return &level;\n}\n\n'
    folder = edited(("sum.c", "static const uint32_t weights", address + "static const uint32_t weights"))
    said = takt("build", folder, "--board", board)
    assert said.code == 2
    refused = (
        "sum.c uses level, which belongs to the kernel\n  try: name the process in read or write of the shared memory"
    )
    assert refused in said.err


DEVICE = """
[[device]]
name = "it"
base = {base:#x}
size = {size:#x}

[[process]]
name = "source"
devices = ["it"]
"""


@pytest.mark.parametrize(
    ("board", "base", "size", "range_said"),
    [
        ("mps2-an385", 0x003F_FFE0, 0x20, "0x0 to 0x3fffff"),
        ("mps2-an385", 0x1FFF_FFFC, 0x8, "0x20000000 to 0x203fffff"),
        ("mps2-an385", 0x2200_0000, 0x20, "0x22000000 to 0x23ffffff"),
        ("mps2-an385", 0xE000_E000, 0x1000, "0xe0000000 to 0xe00fffff"),
        ("mps2-an385", 0x4000_6000, 0x1000, ""),
        ("rv32-virt", 0x8000_0000, 0x20, "0x80000000 to 0x803fffff"),
        ("rv32-virt", 0x8040_0000, 0x20, "0x80400000 to 0x807fffff"),
        ("rv32-virt", 0x0200_4000, 0x8, "0x2000000 to 0x200ffff"),
        ("rv32-virt", 0x1000_0100, 0x100, ""),
    ],
)
def test_a_device_is_none_of_the_kernels(
    takt: Takt, edited: Edited, board: str, base: int, size: int, range_said: str
) -> None:
    """Memory, its other names, the clock and the interrupt controllers; what lies beside them is free."""
    device = DEVICE.format(base=base, size=size)
    said = takt("check", edited(("system.toml", '\n[[process]]\nname = "source"\n', device)), "--board", board)
    assert said.code == (2 if range_said else 0), said.err
    assert not range_said or f"{range_said}, which the kernel or the board uses\n  try: " in said.err


KERNELS = """#include "takt_app.h"

extern uint32_t seen;
void takt_app_init(void);
void takt_app_init(void)
{{
    {statement};
}}
"""


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        (
            "(void)*(volatile uint32_t *)&board.a",
            'kernel.c runs in the kernel\'s mode and uses board, which process "source" writes',
        ),
        (
            "struct level now; (void)!level_read(&now)",
            "kernel.c runs in the kernel's mode and uses level, which process",
        ),
        (
            "(void)*(volatile uint32_t *)&seen",
            'kernel.c runs in the kernel\'s mode and uses seen, which process "source" writes',
        ),
    ],
)
def test_the_kernel_uses_nothing_that_a_process_writes(takt: Takt, edited: Edited, statement: str, says: str) -> None:
    """Shared memory, a state message, a variable: unless shared memory says so, which the check tells."""
    folder = edited(
        ("producer.c", "static uint32_t ticks;", "uint32_t seen;\nstatic uint32_t ticks;"),
        ("producer.c", "count++;", "count++;\n    seen++;"),
    )
    (folder / "kernel.c").write_text(KERNELS.format(statement=statement), encoding="utf-8")
    said = takt("build", folder)
    assert said.code == 2
    assert says in said.err
    assert "\n  try: " in said.err
    path = folder / "system.toml"
    path.write_text(path.read_text().replace('write = ["source"]\n', 'write = ["source"]\nkernel = true\n'))
    if "board" in statement:
        assert takt("build", folder).code == 0
    refusal = "shared board: files that run in the kernel's mode must tolerate whatever source write there"
    assert refusal in takt("check", folder).out


def test_a_build_without_changes_links_nothing(takt: Takt, edited: Edited) -> None:
    """The second time what was measured is still so."""
    folder = edited()
    assert takt("build", folder).code == 0
    image = image_of(folder, "host")
    before = image.stat().st_mtime_ns
    assert takt("build", folder).code == 0
    assert image.stat().st_mtime_ns == before


CALLED = {"board_console_write", "irq_ack", "mailbox_try_receive", "mailbox_try_send", "mutex_lock", "mutex_unlock"}
BY_ALL = {"fault_raise", "job_wait", "thread_exit"}  # a failed assertion, and the end of a job and of a thread


def entries_of(image: Path) -> set[str]:
    """Calls that the kernel of an image has, by their entries."""
    names = (name for name, symbol in link_checks.symbols(image).items() if symbol.section is not None)
    return {name.removeprefix("takti_entry_") for name in names if name.startswith("takti_entry_")}


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_only_what_processes_call_is_linked(takt: Takt, edited: Edited, board: str) -> None:
    """The entries of calls are those that files of processes make, also when one comes to it."""
    folder = edited()
    assert takt("build", folder, "--board", board).code == 0
    assert entries_of(image_of(folder, board)) == CALLED | BY_ALL
    path = folder / "consumer.c"
    more = "    struct level now;\n    (void)takt_pipe_try_read;\n    total += (uint32_t)takt_now();\n"
    path.write_text(path.read_text().replace("    struct level now;\n", more))
    assert takt("build", folder, "--board", board).code == 0
    assert entries_of(image_of(folder, board)) == CALLED | BY_ALL | {"now"}
