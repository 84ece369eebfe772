# SPDX-License-Identifier: Apache-2.0
"""Waiting for a program that was started."""

from __future__ import annotations

import os
import select
import subprocess
from typing import NoReturn

import pytest
from takt.support import children


def refused(_process: int) -> NoReturn:
    raise OSError(38, "Function not implemented")


@pytest.mark.parametrize("kernel_has_it", [True, False])
def test_waiting_ends_with_the_program_or_after_the_time(monkeypatch: pytest.MonkeyPatch, kernel_has_it: bool) -> None:
    if not kernel_has_it:
        monkeypatch.setattr(os, "pidfd_open", refused)
    with children.start(["sh", "-c", "read line; exit 7"], stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        with children.end_of(process) as ends:
            assert len(ends) == kernel_has_it
            with pytest.raises(subprocess.TimeoutExpired):
                children.wait(process, 0.01)
            assert select.select(ends, [], [], 0)[0] == []
            process.stdin.write(b"\n")
            process.stdin.flush()
            assert children.wait(process, 60) == 7
            assert select.select(ends, [], [], 0)[0] == ends
        assert children.wait(process, 0) == 7
        assert children.wait(process, None) == 7
