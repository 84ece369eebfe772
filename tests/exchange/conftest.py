# SPDX-License-Identifier: Apache-2.0
"""Packages are installed before the tests: a command that installs one says so, among what a test expects of it."""

from __future__ import annotations

import pytest
from takt.declare.formats import xml_tree
from takt.image.inventory import cyclonedx
from takt.support import provision


@pytest.fixture(autouse=True, scope="session")
def packages() -> None:
    provision.require_python(xml_tree.LOCK)
    provision.require_python(cyclonedx.LOCK)
