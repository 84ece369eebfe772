# SPDX-License-Identifier: Apache-2.0
"""`takt bench selection`: its keys are documented, and its figures are those of docs/performance.md."""

from __future__ import annotations

import json

from command_line import Takt, documented, keys
from takt.bench import documents
from takt.bench.studies import selection

BOARD = "mps2-an385"


def test_one_structure_is_measured_as_the_page_says(takt: Takt) -> None:
    said = takt("bench", "selection", "--board", BOARD, "--structure", "tournament_8", "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    rows = document["boards"][BOARD]
    kept = documents.results("selection")["boards"][BOARD]
    assert rows == [row for row in kept if row["structure"] == "tournament_8"]
    found = {key.replace(f"boards.{BOARD}[].", "boards.B[].") for key in keys(document)} - {f"boards.{BOARD}"}
    for operation in selection.OPERATIONS:
        found = {key.replace(f".{operation}.", ".OPERATION.") for key in found}
    assert found == documented("bench selection")


def test_a_board_that_is_not_there(takt: Takt) -> None:
    said = takt("bench", "selection", "--board", "host")
    assert said.code == 2
    assert "mps2-an385" in said.err
