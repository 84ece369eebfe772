# SPDX-License-Identifier: Apache-2.0
"""The fixture that tests of areas share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def own_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names of areas are this test's own."""
    monkeypatch.setenv("TAKT_REFLECT_FOLDER", str(tmp_path / "names"))
