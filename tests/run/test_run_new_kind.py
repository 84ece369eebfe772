# SPDX-License-Identifier: Apache-2.0
"""A kind of service is one file and its row in the table: one more kind, in a copy of the tool, gets through all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from children import takt_command
from takt.declare import service_kinds
from takt.declare.service_table import SERVICES
from takt.support.provision import ROOT

FOLDER = Path(__file__).parent / "new_kind"
KINDS = Path("tools/takt/declare/service_kinds")
TABLE = Path("tools/takt/declare/service_table.py")
ROW = "    watchdog.SERVICE,\n"
PROCESS = '[[process]]\nname = "all"\ntasks = ["porter", "guest"]\n'
IMPORT = "from takt.declare.service_kinds import (\n"

Said = subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tree with a tool of its own; what is changed in it is here."""
    tree = tmp_path_factory.mktemp("copy")
    for path in ROOT.iterdir():
        if path.name not in ("tools", "build"):
            (tree / path.name).symlink_to(path)
    shutil.copytree(ROOT / "tools", tree / "tools", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(FOLDER / "gate.py", tree / KINDS)
    text = (tree / TABLE).read_text(encoding="utf-8")
    assert (text.count(ROW), text.count(IMPORT)) == (1, 1)
    text = text.replace(ROW, f"{ROW}    gate.SERVICE,\n").replace(IMPORT, f"{IMPORT}    gate,\n")
    (tree / TABLE).write_text(text, encoding="utf-8")
    return tree


@pytest.fixture
def takt(copy: Path) -> Callable[..., Said]:
    def run(*words: str | Path) -> Said:
        environment = {**os.environ, "PYTHONPATH": str(copy / "tools")}
        command = takt_command(*words)
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    return run


@pytest.fixture
def application(tmp_path: Path) -> Path:
    shutil.copytree(FOLDER, tmp_path / "app", ignore=shutil.ignore_patterns("*.py"))
    return tmp_path / "app"


def test_every_file_of_a_kind_has_a_row() -> None:
    folder = Path(service_kinds.__file__).parent
    files = {path.stem for path in folder.glob("*.py") if "SERVICE = Service(" in path.read_text(encoding="utf-8")}
    assert files == {service.kind for service in SERVICES}
    assert [service.kind for service in SERVICES if service.model.__module__.split(".")[2] != "service_kinds"] == []


def test_it_is_generated_and_runs(takt: Callable[..., Said], application: Path) -> None:
    said = takt("run", application)
    assert said.returncode == 0, said.stdout + said.stderr
    assert "gate: right" in said.stdout
    made = takt("generate", application, "--json")
    assert made.returncode == 0, made.stdout + made.stderr
    assert json.loads(made.stdout)["objects"] == [
        {"name": "door", "kind": "gate", "calls": ["door_open", "door_enter_until"]}
    ]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('keeper = "porter"', 'keeper = "portr"', 'system.toml:23: [[gate]] "door": keeper = "portr": no such task'),
        ('keeper = "porter"', 'keeper = "guest"', 'its keeper "guest" is a background task'),
        ("open = true", "ajar = true", 'unknown key "ajar"'),
        ("[system]", f"{PROCESS}\n[system]\nprotection = true", "processes cannot have this service yet"),
    ],
)
def test_it_is_checked(takt: Callable[..., Said], application: Path, before: str, after: str, message: str) -> None:
    path = application / "system.toml"
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1
    path.write_text(text.replace(before, after), encoding="utf-8")
    said = takt("check", application)
    assert said.returncode == 2, said.stdout
    assert message in said.stderr


def test_the_proof_depends_on_it(takt: Callable[..., Said], application: Path) -> None:
    """The image's hash is of what was proved: another value of a key is another image."""
    first = json.loads(takt("generate", application, "--json").stdout)["hash"]
    path = application / "system.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("open = true", "open = false"), encoding="utf-8")
    assert json.loads(takt("generate", application, "--json").stdout)["hash"] != first


def test_its_keys_are_in_the_page(copy: Path) -> None:
    """Not by `takt docs`, which would write files of the tree that the copy shares."""
    environment = {**os.environ, "PYTHONPATH": str(copy / "tools")}
    command = [sys.executable, "-c", "from takt.dev import docs; print(docs.page())"]
    page = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    assert "## [[gate]]" in page
    assert "| `keeper` |" in page
