# SPDX-License-Identifier: Apache-2.0
"""docs/performance.md and its pictures are what the figures that are kept say, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import Takt
from running import FULL, only_full
from takt.bench import documents, kernel, kernel_page
from takt.bench.documents import results
from takt.bench.studies import schedulers
from takt.reproduce import measured_pages, rtm_page
from takt.reproduce.can import page as can_page
from takt.reproduce.midart import page as midart_page


@pytest.fixture(scope="module")
def wanted() -> Iterator[dict[Path, str]]:
    """All pages; in a usual run without the pictures of reproductions, which take long to draw."""
    with pytest.MonkeyPatch.context() as patch:
        for page in () if FULL else (can_page, rtm_page, midart_page):
            patch.setattr(page, "pictures", lambda _document: {})
        yield measured_pages.files()


def test_the_page_is_as_the_figures_say(takt: Takt, wanted: dict[Path, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured_pages, "files", lambda: wanted)
    said = takt("bench", "docs", "--check")
    assert (said.code, said.err) == (0, "")


def test_an_old_page_is_noticed(takt: Takt, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "performance.md"
    monkeypatch.setattr(
        measured_pages, "files", lambda: {page: "as the figures say", tmp_path / "picture.svg": "drawn"}
    )
    monkeypatch.setattr(measured_pages, "ROOT", tmp_path)
    said = takt("bench", "docs", "--check")
    assert said.code == 1
    assert said.err.startswith("performance.md does not match the figures")
    assert list(tmp_path.iterdir()) == []
    assert takt("bench", "docs").code == 0
    assert page.read_text() == "as the figures say"
    assert takt("bench", "docs", "--check").code == 0


def test_nothing_that_stands_for_a_table_is_left(wanted: dict[Path, str]) -> None:
    page = wanted[measured_pages.PAGE]
    assert "@" not in page
    template = measured_pages.TEMPLATE.read_text(encoding="utf-8")
    shown = {line.strip("@").split()[0] for line in template.splitlines() if line.startswith("@")}
    assert shown == set(measured_pages.PARTS)


@only_full
@pytest.mark.parametrize("board", kernel.BOARDS)
def test_the_peers_are_as_kept(board: str) -> None:
    assert kernel_page.measure_peers(board) == results(f"peers-{board}")


@pytest.mark.parametrize("board", kernel.BOARDS)
def test_the_schedulers_are_as_kept(board: str) -> None:
    """A small part of it: the kept figures are those of these overheads."""
    kept = results(f"schedulers-{board}")
    found = schedulers.measure(board, kept["preset"], kept["workloads"], counts=(5, 10))
    assert found["rows"] == [row for row in kept["rows"] if row["tasks"] in (5, 10)]


def test_what_is_kept_is_read_back(tmp_path: Path) -> None:
    document = {"name": "x", "rows": [{"number": n, "text": "y" * 50} for n in range(20)]}
    documents.keep(tmp_path / "x.json", document)
    text = (tmp_path / "x.json").read_text()
    assert json.loads(text) == document
    assert len(text.splitlines()) == 21


GOLDEN: kernel.Golden = {
    "fixed, 4 others": {"yield": [31.0, 31, 90.0, 95], "queue_8": [50.0, 50, 90.0, 90], "rearm": [9.0, 9, 9.0, 9]},
    "fixed, 64 others": {"yield": [29.0, 29, 90.0, 95]},
}
PEERS = {
    "FreeRTOS": {"fixed, 4 others": {"yield": 62.0, "rearm": 8.0}, "fixed, 64 others": {"yield": 62.0}},
    "FreeRTOS-traced": {"fixed, 4 others": {"yield": 75.0, "rearm": 9.0}, "fixed, 64 others": {"yield": 75.0}},
}


def test_a_figure_above_its_line_is_bold() -> None:
    rows = kernel_page.peers_table("mps2-an385", GOLDEN, PEERS).splitlines()
    ours = "|  | Takt | max | FreeRTOS | ratio | standard | FreeRTOS-traced | ratio |"
    assert rows[2] == f"{ours} ThreadX* | Zephyr* | ChibiOS* | line |"
    assert rows[4] == "| yield | **31** | 31 | 62 | 0.50 | 90 | 75 | 1.20 | 61 | 61 | 40 | 30 |"
    assert rows[5] == "| queue_8 | 50 | 50 |  |  | 90 |  |  | 81 | 167 | 108 | 56 |"


def test_the_verdict_names_every_miss() -> None:
    assert kernel_page.verdict("mps2-an385", GOLDEN, PEERS) == (
        "- Above the line: `yield` with 4 others (31, line 30).\n- A peer needs fewer: `rearm` (9, FreeRTOS 8).\n"
        "- FreeRTOS needs fewer than `standard`: `yield` (90, 62), `rearm` (9, 8).\n"
        "- FreeRTOS-traced needs fewer than `standard`: `yield` (90, 75)."
    )
