# SPDX-License-Identifier: Apache-2.0
"""docs/guide: every command is run and every change made, in the order of the page, and what it says is printed."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from command_line import Takt
from running import emulated
from takt.support.provision import ROOT

PAGE = (ROOT / "docs" / "guide" / "first-hour.md").read_text(encoding="utf-8")
BLOCK = r"\n\n```\w*\n(.*?)```\n"
STEP = re.compile(
    rf"Append to `~/first/(?P<longer>\S+)`:{BLOCK}"
    rf"|In `~/first/(?P<changed>\S+)` replace{BLOCK}\nby{BLOCK}"
    r"|```\n(?P<commands>\./takt .*?)```",
    re.DOTALL,
)


def squeezed(text: str) -> str:
    return " ".join(text.split())


def run(takt: Takt, lines: str, folder: Path) -> None:
    """Commands, and below each what it prints; it fails if that is a refutation, and else does not."""
    for command in re.split(r"^(?=\./takt )", lines, flags=re.MULTILINE)[1:]:
        first, *printed = command.splitlines()
        said = takt(*shlex.split(first.replace("~/first", str(folder)))[1:])
        assert said.code == (1 if any("Refuted" in line for line in printed) else 0), said
        assert [line for line in printed if squeezed(line) not in squeezed(said.out)] == [], said.out


@pytest.mark.parametrize("board", [emulated("mps2-an385")])
def test_the_first_hour(takt: Takt, tmp_path: Path, scratch_builds: Path, board: str) -> None:
    folder = tmp_path / "first"
    assert f"`{board}`" in PAGE
    steps = list(STEP.finditer(PAGE))
    assert len(steps) == len(re.findall(r"^Append to|^In `~/|^```\n\./takt", PAGE, re.MULTILINE))
    for step in steps:
        if step["commands"]:
            run(takt, step["commands"], folder)
            continue
        path = folder / (step["longer"] or step["changed"])
        text = path.read_text(encoding="utf-8")
        _, more, _, old, new, _ = step.groups()
        if step["changed"]:
            assert text.count(old) == 1, old
        path.write_text(text.replace(old, new) if step["changed"] else text + more, encoding="utf-8")
