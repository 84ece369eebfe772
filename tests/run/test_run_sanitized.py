# SPDX-License-Identifier: Apache-2.0
"""Whole images of board `host` under the address and undefined-behaviour sanitizers."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Takt
from running import APPS, FULL, only_full
from takt.image import build

OTHERS: list[tuple[str | Path, ...]] = [
    (APPS / "troublesome", "--scheduler", "cooperative", "--force"),
    (APPS / "troublesome", "--scheduler", "rm", "--force"),
    (APPS / "troublesome", "--scheduler", "csd2"),
    (APPS / "avionics",),
]
FLAGS = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"


@pytest.fixture
def sanitized(scratch_builds: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Images are built with the sanitizers: CMake takes these variables when it configures for the first time."""
    monkeypatch.setenv("CFLAGS", FLAGS)
    monkeypatch.setenv("LDFLAGS", FLAGS)
    monkeypatch.setattr(build, "ROOMS", scratch_builds.parent / "rooms")
    return scratch_builds


@pytest.mark.parametrize(
    "arguments",
    [
        (APPS / "flight", *(() if FULL else ("--duration", "1 s"))),
        *(OTHERS if FULL else []),
    ],
    ids=lambda arguments: "-".join(Path(str(word)).name for word in arguments),
)
def test_a_whole_run_is_clean(takt: Takt, sanitized: Path, arguments: tuple[str | Path, ...]) -> None:
    said = takt("run", *arguments, "--board", "host")
    whole = "--duration" not in arguments  # a flight that is cut short has not reached what its plant wants
    words = "Nothing was proved of" if "--force" in arguments else "Within what was proved"
    assert words in said.out, said.out + said.err
    assert said.code == 0 or not whole
    binaries = [path.read_bytes() for path in sanitized.glob("*/application")]
    assert any(b"__asan_init" in binary for binary in binaries)


@only_full
def test_a_network_is_clean(takt: Takt, sanitized: Path) -> None:
    """Six nodes on two buses, with a gateway and protected messages."""
    said = takt("run", APPS / "vehicle", "--duration", "2 s")
    assert (said.code, "All nodes stayed within what was proved." in said.out) == (0, True), said.out + said.err
    binaries = [path.read_bytes() for path in sanitized.glob("*/application")]
    assert len(binaries) == 6
    assert all(b"__asan_init" in binary for binary in binaries)
