# SPDX-License-Identifier: Apache-2.0
"""Brings what `takt hints` reads C with."""

from __future__ import annotations

from pathlib import Path

import pytest
from hints.programs import CODE, SYSTEM
from takt.support import provision


@pytest.fixture(scope="session", autouse=True)
def libclang() -> None:
    provision.require("host")
    provision.require_python("hints")


@pytest.fixture
def application(tmp_path: Path) -> Path:
    (tmp_path / "system.toml").write_text(SYSTEM)
    (tmp_path / "app.c").write_text(CODE)
    return tmp_path
