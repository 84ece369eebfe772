# SPDX-License-Identifier: Apache-2.0
"""`takt sbom`, and images that are the same from any folder."""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from children import environment, takt_command
from running import EMULATED, only_full
from takt.image.kernel_members import Members
from takt.support import provision
from takt.support.compile import locked
from takt.support.provision import ROOT

SYSTEM = """[system]
name = "twice"
[[task]]
name = "control"
entry = "control_step"
period = "20 ms"
wcet = "1 ms"
"""
CODE = """#include <takt/takt.h>
#include "step.h"
const char *control_file = __FILE__;
void control_step(void *argument)
{
    (void)argument;
    control_count++;
    (void)takt_now();
}
"""
HEADER = "extern const char *control_file;\nextern int control_count;\nint control_count;\n"


def application(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name, text in (("system.toml", SYSTEM), ("step.c", CODE), ("step.h", HEADER)):
        (folder / name).write_text(text)
    return folder


def sbom(root: Path, folder: Path, board: str) -> dict[str, Any]:
    """Of a build in a clone."""
    command = takt_command("sbom", folder, "--board", board, "--scheduler", "edf")
    settings = {**environment(), "PYTHONPATH": str(root / "tools")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=settings, cwd=root)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def image(root: Path, board: str) -> Path:
    """The newest one of the system."""
    found = [
        path
        for folder in (root / "build").glob(f"app.*-{board}-edf-standard")
        for path in (folder / "application", folder / "application.elf")
        if path.is_file()
    ]
    return max(found, key=lambda path: path.stat().st_mtime)


def listed(built: Path) -> str:
    """What gdb lists of the application, which the image calls /app."""
    extension = ROOT / "tools" / "takt" / "gdb" / "takt_gdb.py"
    commands = [f"source {extension}", f"file {built}", "list control_step"]
    command = ["gdb-multiarch", "-nx", "-batch", *(word for one in commands for word in ("-ex", one))]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@only_full
@pytest.mark.parametrize("board", ["host", *EMULATED])
def test_the_same_from_two_folders(board: str, tmp_path: Path) -> None:
    documents, images = [], []
    for name in ("here", "there"):
        documents.append(sbom(ROOT, application(tmp_path / name / "app"), board))
        images.append(image(ROOT, board).read_bytes())
        settings = json.loads((image(ROOT, board).parent / "takt-settings.json").read_text(encoding="utf-8"))
        kernel = Members(Path(settings["TAKT_ROOMS"]), "", "")
        assert kernel.so_far() == list(kernel.objects)  # what a list had compiled is built again with the kernel
        with locked(kernel.folder):
            (kernel.folder / "members.json").unlink()
    assert "control_count++;" in listed(image(ROOT, board))
    assert images[0] == images[1]
    assert documents[0] == documents[1]
    assert str(ROOT).encode() not in images[0]  # so another clone has the same
    assert str(tmp_path).encode() not in images[0]
    assert str(ROOT) not in json.dumps(documents[0])
    check(documents[0], images[0], board)


def check(document: dict[str, Any], built: bytes, board: str) -> None:
    root = document["metadata"]["component"]
    properties = {one["name"]: one["value"] for one in root["properties"]}
    assert root["hashes"] == [{"alg": "SHA-256", "content": hashlib.sha256(built).hexdigest()}]
    assert (properties["takt:verdict"], properties["takt:option:TAKT_BOARD"]) == ("feasible", board)
    assert len(properties["takt:proof"]) == 16
    assert "-O2" in properties["takt:flags:kernel"].split()
    parts = {one["bom-ref"]: one for one in document["components"]}
    own = {one["name"]: one["hashes"][0]["content"] for one in parts["app"]["components"]}
    assert own == {
        name: hashlib.sha256(text.encode()).hexdigest()
        for name, text in (("system.toml", SYSTEM), ("step.c", CODE), ("step.h", HEADER))
    }
    kernel = {one["name"]: one["hashes"][0]["content"] for one in parts["takt"]["components"]}
    name = "kernel/core/dispatch.c"
    assert kernel[name] == hashlib.sha256((ROOT / name).read_bytes()).hexdigest()
    assert {one["name"] for one in parts["gen"]["components"]} == {"system.c", "takt_app.h"}
    assert any(one["name"].startswith("libgcc") for one in parts.values())
    compiler = next(one for one in document["metadata"]["tools"]["components"] if one["bom-ref"] == "compiler")
    assert compiler["name"].endswith("cc")
    assert compiler["version"]


def test_its_schema_refuses_what_is_none() -> None:
    provision.require_python("sbom")
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    bad = {"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [{"type": "planet", "name": "x"}]}
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(json.dumps(bad)) is not None


@only_full
def test_the_same_from_two_clones(tmp_path: Path) -> None:
    """The whole image and the list, from clones in two folders."""
    documents, images = [], []
    for name in ("one", "another"):
        clone = tmp_path / name / "takt"
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        (clone / ".venv").symlink_to(ROOT / ".venv")
        documents.append(sbom(clone, application(tmp_path / name / "app"), "mps2-an385"))
        images.append(image(clone, "mps2-an385").read_bytes())
    assert images[0] == images[1]
    assert documents[0] == documents[1]
