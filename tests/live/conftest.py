# SPDX-License-Identifier: Apache-2.0
"""A system whose view is looked at without a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from takt.observe import log_texts
from takt.observe.run import load
from takt.prove.proof import Proved


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Proved:
    """One task on host; its image is not there, and has no texts of the log."""
    (tmp_path / "system.toml").write_text('[system]\nboard = "host"\n[[task]]\nname = "alone"\n', encoding="utf-8")
    monkeypatch.setattr(log_texts, "of_image", lambda names, _image: names)
    return load(str(tmp_path), None, None, "measured")
