# SPDX-License-Identifier: Apache-2.0
"""What tests that run systems share."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from children import environment, takt_command
from takt.declare.schema import boards
from takt.support.children import command_of
from takt.support.provision import ROOT
from takt.trace import segments
from takt.trace.records import Entry

APPS = ROOT / "apps"
FULL = bool(os.environ.get("TAKT_TEST_FULL"))  # takt test --full

Run = Callable[..., tuple[int, dict[str, Any]]]
"""`takt run ... --json`: exit code and document."""


def emulated(name: str, *more: object) -> Any:
    """A parameter, or several of which the first is a board that needs its emulator."""
    emulator = boards.load(name).run[0]
    missing = emulator != "{image}" and shutil.which(emulator) is None
    return pytest.param(name, *more, marks=pytest.mark.skipif(missing, reason=f"{emulator} is not installed"))


EMULATED = [emulated("mps2-an385"), emulated("rv32-virt")]
BOARDS = ["host", *EMULATED]
EVERY_BOARD = [emulated(name) for name in boards.names() if not boards.load(name).simulator]
"""Those of boards/, but those that are simulated cycle by cycle: tests/ibex."""
FIRST_EMULATED = EMULATED if FULL else EMULATED[:1]  # where the other one has nothing of its own
SECOND_EMULATED = EMULATED if FULL else EMULATED[1:]  # the same, and another test has the first
HOST_AND_FIRST = ["host", *FIRST_EMULATED]
HOST_AND_SECOND = ["host", *SECOND_EMULATED]
MODES = [("host", True), emulated("mps2-an385", False), emulated("rv32-virt", True)]
MODES += [("host", False), emulated("mps2-an385", True), emulated("rv32-virt", False)] if FULL else []
"""Boards, with and without protection: by default each in one of both."""
EMULATED_MODES = MODES if FULL else MODES[1:]
"""The same without the host, where what is tested is of the kernel alone."""
FIRST_MODE = MODES if FULL else MODES[1:2]  # one, where board and protection make little difference
SECOND_MODE = MODES if FULL else MODES[2:]
only_full = pytest.mark.skipif(not FULL, reason="takes long: takt test --full")
ROUNDS = {"mps2-an385": 190, "rv32-virt": 380}
"""Of an empty loop of C over a volatile counter, in 100 us."""
LATE_WAKES_NS = 2_000
"""By which two runs of one image may differ under QEMU: now and then a processor wakes late by an instruction or two
(docs/CAVEATS.md)."""


def on_board(
    name: str, image: Path, options: Mapping[str, object], program: Path | None = None, within_s: float = 60
) -> subprocess.CompletedProcess[bytes]:
    """Runs an image on a board, in the folder of the image, without the tool; it ends with the test, whatever ends
    that. `program`: its simulator."""
    command = boards.load(name).run_command(image, dict(options), simulator=program)
    return subprocess.run(command_of(command), capture_output=True, timeout=within_s, check=False, cwd=image.parent)


def takt(*arguments: str | Path) -> tuple[int, dict[str, Any]]:
    """A command of its own: exit code and document."""
    command = takt_command(*arguments, "--json")
    done = subprocess.run(command, capture_output=True, check=False, env=environment())
    assert done.stdout, done.stderr.decode("utf-8", "replace")
    return done.returncode, json.loads(done.stdout)


def write_tight(folder: Path, board: str, text: str, generous_ms: Mapping[str, float]) -> None:
    """Writes system.toml with each `@NAME@` of `text` as a deadline that is 4 % longer than the response bound, of the
    task NAME or the worst of NAME_a, NAME_b and so on.

    Bounds change with every measurement of the kernel's overheads, and deadlines with them. They are those of `takt
    check` with the deadlines `generous_ms`, which must be proved and have the same order: with deadline-monotonic
    priorities it alone decides.
    """

    def write(deadlines_ns: dict[str, int]) -> dict[str, Any]:
        written = text
        for name, deadline_ns in deadlines_ns.items():
            written = written.replace(f"@{name}@", f"{deadline_ns} ns")
        (folder / "system.toml").write_text(written, encoding="utf-8")
        _, checked = takt("check", folder, "--board", board)
        assert checked["verdict"] == "feasible", checked
        return checked

    checked = write({name: round(deadline_ms * 10**6) for name, deadline_ms in generous_ms.items()})
    tight = {}
    for name in generous_ms:
        like = [task["response_ns"] for task in checked["tasks"] if re.fullmatch(f"{name}(_.)?", task["name"])]
        tight[name] = max(like) * 104 // 100
    assert sorted(tight, key=tight.__getitem__) == sorted(tight, key=generous_ms.__getitem__), tight
    write(tight)


def entries_of(trace: Path) -> list[Entry]:
    return list(segments.read(trace).entries)


def assert_the_same(first: list[Entry], second: list[Entry]) -> None:
    """Two runs under QEMU were the same, but for the lateness that it has."""
    assert [entry[1:6] for entry in first] == [entry[1:6] for entry in second]
    assert max(abs(a.time_ns - b.time_ns) for a, b in zip(first, second, strict=True)) <= LATE_WAKES_NS
