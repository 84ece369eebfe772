# SPDX-License-Identifier: Apache-2.0
"""Tables that `takt generate` left in the application's folder, and what builds make of them."""

from __future__ import annotations

from pathlib import Path

from command_line import Takt


def test_an_old_header_is_not_included(takt: Takt, tmp_path: Path, scratch_builds: Path) -> None:
    """It may number tasks as they were."""
    task = '[[task]]\nname = "{}"\nperiod = "20 ms"\nwcet = "1 ms"\n'
    (tmp_path / "system.toml").write_text(f'[system]\nboard = "host"\n{task.format("a")}')
    (tmp_path / "app.c").write_text('#include "takt_app.h"\n')
    assert takt("generate", tmp_path).code == 0
    assert takt("build", tmp_path).code == 0
    with (tmp_path / "system.toml").open("a") as file:
        file.write(task.format("b"))
    said = takt("build", tmp_path)
    assert said.code == 2
    assert "takt_app.h does not match system.toml, and the sources would include it\n  try: remove it" in said.err
