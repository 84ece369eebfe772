# SPDX-License-Identifier: Apache-2.0
"""What tests of sweeps on this machine share."""

from __future__ import annotations

from pathlib import Path

import pytest
from small_study import Write
from takt.support import compile


@pytest.fixture(scope="module")
def analysis_library() -> None:
    compile.host_library()


@pytest.fixture
def study(tmp_path: Path) -> Write:
    def write(text: str) -> Path:
        path = tmp_path / "study.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write
