# SPDX-License-Identifier: Apache-2.0
"""The fixture that tests of several rooms share."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from command_line import Said, Takt
from takt import cli

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as of what a shell starts in the background, and its children
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def takt(capfd: pytest.CaptureFixture[str]) -> Takt:
    """Runs a command in this process."""

    def run(*arguments: str | Path) -> Said:
        code = cli.main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Said(code, out, err)

    return run
