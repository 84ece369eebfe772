# SPDX-License-Identifier: Apache-2.0
"""ARCHITECTURE.md leads in two hops: a row of Where to look names a file, and what was asked for is in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)

# Words of a question, the file that its row leads to, and what is found there.
LOOKUPS = (
    ("the keys of `system.toml`; to add one", "tools/takt/declare/tables.py", "TASK = Table("),
    ("the response time of a task, in a fixed band", "analysis/src/fixed.c", "takta_fixed_worst("),
    ("where the pictures of a report are drawn", "tools/takt/report/timeline.js", 'getContext("2d")'),
    ("whether a run stayed within its proof", "tools/takt/observe/outcome.py", "def observe("),
    ("that a board must bring", "runner/include/takt/board.h", "void takt_board_init(void);"),
    ("the serial port of a family of boards", "chips/emulated/emulated.h", "takt_chip_options_read"),
    ("how a run starts", "runner/run.c", "void takt_run_start(void)"),
    ("how a service is declared", "tools/takt/declare/service_table.py", "SERVICES = ("),
)


def rows() -> dict[str, str]:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    return dict(ROW.findall(text[text.index("## Where to look") :]))


def paths(answer: str) -> Iterator[str]:
    """What an answer names, from the root: a name alone is in the folder of the path before it."""
    folder = ""
    for name in re.findall(r"`([\w./-]+)`", answer):
        if "/" in name:
            folder = name if name.endswith("/") else f"{name.rpartition('/')[0]}/"
            yield name
        elif "." in name:
            yield folder + name


@pytest.mark.parametrize(("question", "file", "found"), LOOKUPS)
def test_two_hops(question: str, file: str, found: str) -> None:
    (answer,) = (answer for asked, answer in rows().items() if question in asked)
    assert file in paths(answer)
    assert found in (ROOT / file).read_text(encoding="utf-8")


def test_every_file_of_python_that_is_named_is_there() -> None:
    named = [path for answer in rows().values() for path in paths(answer) if path.endswith(".py")]
    assert len(named) > 50
    assert [path for path in named if not (ROOT / path).is_file()] == []
