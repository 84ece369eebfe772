# SPDX-License-Identifier: Apache-2.0
"""What a restart does: docs/processes.md has each call in its list, and a far release of a first life silences nobody.

kernel/test/process/restart/restart_test.c makes each call in a first life, on the host.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest
from protected_image import built, run
from running import FIRST_EMULATED
from takt.support.c.calls import CALLS
from takt.support.provision import ROOT

APP = Path(__file__).parent / "restart"


def test_the_list_names_each_call_in_its_kind() -> None:
    text = (ROOT / "docs" / "processes.md").read_text(encoding="utf-8")
    table = text.partition("## What a restart does")[2].partition("\n## ")[0]
    patterns = re.findall(
        r"`([\w*]+)`", " ".join(line.split("|")[4] for line in table.splitlines() if line[:2] == "| ")
    )
    assert len(CALLS) > 100
    assert [name for name in CALLS if not any(fnmatch(name, pattern) for pattern in patterns)] == []
    assert [pattern for pattern in patterns if not any(fnmatch(name, pattern) for name in CALLS)] == []


@pytest.mark.parametrize("board_name", FIRST_EMULATED)
def test_a_far_release_of_the_first_life_silences_nobody(board_name: str) -> None:
    console = run(built(APP, board_name)[1], board_name, duration_ns=300_000_000).stdout.decode(errors="replace")
    before, silenced, after = console.partition("silenced")
    assert silenced, console[-2000:]
    assert before.count("served") <= 2
    assert after.count("served") >= 10, "posted each 20 ms, but not while it restarts"
