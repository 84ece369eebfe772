# SPDX-License-Identifier: Apache-2.0
"""What tests that run systems share."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest
from takt.provision import ROOT

APPS = ROOT / "apps"

Run = Callable[..., tuple[int, dict[str, Any]]]
"""`takt run ... --json`: exit code and document."""

needs_qemu = pytest.mark.skipif(shutil.which("qemu-system-arm") is None, reason="qemu-system-arm is not installed")
