# SPDX-License-Identifier: Apache-2.0
"""What a receiver makes of faults, by class: the table of docs/e2e.md.

TAKT_E2E_FAULTS: how many of each fault (default 4; with --full as many as the page says).
"""

from __future__ import annotations

import os
import re

import e2e_faults
import pytest
from e2e_faults import CLASSES, FAULTS
from e2e_room import COUNTERS
from takt.support.provision import ROOT

FULL = bool(os.environ.get("TAKT_TEST_FULL"))
PAGE = (ROOT / "docs" / "e2e.md").read_text(encoding="utf-8")
(OF_PAGE,) = map(int, re.findall(r"(\d+) of each fault", PAGE))
TRIALS = int(os.environ.get("TAKT_E2E_FAULTS", OF_PAGE if FULL else 4))


def of_page(fault: str) -> list[list[int]]:
    """For each profile the number of each class."""
    (row,) = re.findall(rf"^\| {re.escape(fault)} \| (\d.*) \|$", PAGE, re.MULTILINE)
    return [[int(one) for one in cell.split(" / ")] for cell in row.split(" | ")]


@pytest.mark.parametrize("fault", FAULTS)
def test_classes(fault: str) -> None:
    """As on the page; of fewer, those that are there."""
    for profile, wanted in zip(sorted(COUNTERS), of_page(fault), strict=True):
        found = e2e_faults.counted(profile, fault, TRIALS)
        assert sum(wanted) == OF_PAGE
        if TRIALS == OF_PAGE:
            assert [found[name] for name in CLASSES] == wanted
        assert all(most >= found[name] for name, most in zip(CLASSES, wanted, strict=True)), f"{profile}: {found}"
