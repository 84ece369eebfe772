# SPDX-License-Identifier: Apache-2.0
"""The fixture that tests of several rooms share."""

from __future__ import annotations

import signal
from functools import cache
from pathlib import Path

import pytest
from command_line import Said, Takt
from takt import cli
from takt.support import console
from takt.support.compile import host_library  # tests replace that of the module

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as of what a shell starts in the background, and its children
    signal.signal(signal.SIGINT, signal.default_int_handler)

PATIENCE_S = 3600.0


@cache
def libraries() -> None:
    for room in ("analysis", "replay"):
        host_library(room)


@pytest.fixture
def takt(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Takt:
    """Runs a command in this process. The libraries that many of them build when they first run are there, and what
    takes long on a busy machine says no word of it: tests read what a command prints."""
    monkeypatch.setattr(console, "QUICK_S", PATIENCE_S)
    libraries()
    capfd.readouterr()

    def run(*arguments: str | Path) -> Said:
        code = cli.main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Said(code, out, err)

    return run
