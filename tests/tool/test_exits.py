# SPDX-License-Identifier: Apache-2.0
"""Exit codes: those that are listed are those that there are."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from children import BEGIN_S, END_S, alive, children, ended_by, environment, kill, takt_command, wait_until, work_s
from command_line import Takt
from running import FULL
from takt.support.errors import EXITS
from takt.support.provision import ROOT

CSD = ["-m", "takt", "reproduce", "csd", "--json"]


def working(process: int) -> bool:
    return sum(work_s(child) > 0.5 for child in children(process)) >= 2


def test_the_lists_are_the_same(takt: Takt) -> None:
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    found = re.findall(r"^\| (\d+) \| (.+) \|$", page, re.MULTILINE)
    assert {int(code): words for code, words in found} == EXITS
    said = takt("--help").out.splitlines()
    first = said.index("  Exit codes:") + 1
    rows = [line.split(maxsplit=1) for line in said[first : first + len(EXITS)]]
    assert {int(code): words for code, words in rows} == EXITS
    assert list(EXITS) == sorted(EXITS)


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGHUP] if FULL else [signal.SIGTERM], ids=lambda number: number.name
)
def test_other_signals_end_it_as_an_interrupt_does(number: signal.Signals) -> None:
    end = ended_by(number, CSD, working)
    assert end.code == 128 + number
    assert end.code in EXITS
    assert (end.out, end.left) == ("", 0)
    assert "Traceback" not in end.err


def test_a_tool_that_a_test_started_ends_with_the_test() -> None:
    """Also with one that is killed."""
    script = f"import subprocess, children; subprocess.run(children.takt_command(*{CSD[2:]}))"
    paths = {"PYTHONPATH": f"{ROOT}/tools:{ROOT}/tests/support"}
    with subprocess.Popen(
        [sys.executable, "-c", script], env={**environment(), **paths}, stdout=subprocess.DEVNULL
    ) as test:
        known: list[int] = []
        try:
            wait_until(lambda: any(map(working, children(test.pid))), BEGIN_S, "its work")
            known = children(test.pid)
            known += [child for tool in known for child in children(tool)]
            test.kill()
            wait_until(lambda: not any(map(alive, known)), END_S, "the end of the tool")
        finally:
            test.kill()
            kill(known)


def test_yes_no_and_misuse(takt: Takt, tmp_path: Path) -> None:
    application = ROOT / "apps" / "troublesome"
    assert [takt("check", application, "--scheduler", name).code for name in ("edf", "rm", "fastest")] == [0, 1, 2]
    assert takt("check", tmp_path).code == 2
    assert takt("chek").code == 2


def test_nobody_reads_the_output() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = takt_command("check", ROOT / "apps" / "troublesome", "--scheduler", "rm")
    with os.fdopen(writer, "wb") as out:
        done = subprocess.run(command, env=environment(), stdout=out, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
