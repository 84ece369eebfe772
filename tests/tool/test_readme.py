# SPDX-License-Identifier: Apache-2.0
"""What README.md quotes is what the tool says."""

from __future__ import annotations

import re
from pathlib import Path

from command_line import Takt
from takt.support.provision import ROOT


def test_the_refutation_of_the_first_application(takt: Takt, tmp_path: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"^Refuted: [^;]*; [^;]*(?=; \.\.\.\n)", readme, re.MULTILINE)
    assert found is not None
    folder = tmp_path / "first"
    assert takt("new", folder).code == 0
    system = folder / "system.toml"
    text = system.read_text(encoding="utf-8")
    system.write_text(text.replace('wcet = "400 us"', 'wcet = "9.9 ms"', 1), encoding="utf-8")
    said = takt("check", folder)
    assert said.code == 1
    assert " ".join(found[0].split()) in " ".join(said.out.split())
