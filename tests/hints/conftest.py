# SPDX-License-Identifier: Apache-2.0
"""Brings what `takt hints` reads C with."""

from __future__ import annotations

import pytest
from takt.support import provision


@pytest.fixture(scope="session", autouse=True)
def libclang() -> None:
    provision.require("host")
    provision.require_python("hints")
