# SPDX-License-Identifier: Apache-2.0
"""What tests that fly the flight program on a board share."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from children import takt_command
from takt.declare import declaration
from takt.declare.schema import boards
from takt.image import build
from takt.support.provision import ROOT

FLIGHT = ROOT / "apps" / "flight"

# Another plant beside the real one: the same world with something wrong in it.
WRONG_WORLD = """# SPDX-License-Identifier: Apache-2.0
import sys
from pathlib import Path
sys.path.insert(0, str(Path(__file__).parent))
import plant
def create_plant(seed):
    return plant.create_plant(seed, {faults})
"""


@dataclass(frozen=True)
class Flown:
    code: int
    result: dict[str, Any]
    folder: Path  # of the run

    @property
    def trace(self) -> bytes:
        return (self.folder / "trace.takt").read_bytes()

    @property
    def plant(self) -> dict[str, Any]:
        report: dict[str, Any] = self.result["plant"]
        return report


def copy(name: str, faults: str = "", without: str = "") -> Path:
    """A folder with the flight program in it; arguments of create_plant for its plant; a task that is taken out.

    It is in the build folder under its own name, so that nothing is compiled again when nothing has changed.
    """
    folder = ROOT / "build" / "flight-tests" / name
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(FLIGHT, folder, ignore=shutil.ignore_patterns("__pycache__", "test"))
    path = folder / "system.toml"
    text = path.read_text(encoding="utf-8")
    if faults:
        (folder / "wrong.py").write_text(WRONG_WORLD.format(faults=faults), encoding="utf-8")
        text = text.replace('plant = "plant.py"', 'plant = "wrong.py"')
    if without:
        own = (f'\nname = "{without}"\n', f'\nreaders = [{{ task = "{without}"')  # it, and what it keeps for itself
        tables = [table for table in re.split(r"(?m)^(?=\[\[)", text) if not any(mark in table for mark in own)]
        text = re.sub(rf'(?m)^ *\{{ task = "{without}".*\n', "", "".join(tables))
        text = re.sub(rf', "{without}"|"{without}", ', "", text)  # of shared memory
        text = text.replace(f'writer = "{without}"', 'writer = "monitor"')  # which does not, but somebody must
    path.write_text(text, encoding="utf-8")
    return folder


def fly(folder: Path, board: str, *options: str) -> Flown:
    command = takt_command("run", folder, "--board", board, "--json", *options)
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tools")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.stdout, done.stderr
    result = json.loads(done.stdout)
    system = declaration.load(folder / "system.toml", "--protection" in options)
    built = build.folder_of(system, boards.load(board), result["scheduler"])
    built = built.with_name(f"{built.name}-injected") if "--inject" in options else built
    return Flown(done.returncode, result, built / "run")
