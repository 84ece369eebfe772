# SPDX-License-Identifier: Apache-2.0
"""A plant is the user's code: whatever it does wrong is a sentence with its name, and the run fails or is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from takt.observe import plants
from takt.support.errors import UserError

GOOD = """
class Plant:
    finished = False
    def exchange(self, time_ns, transmitted):
        return b""
    def report(self):
        return {"success": True}

def create_plant(seed):
    return Plant()
"""
LOADS = {
    "import sys\nsys.exit(0)\n": "does not load: SystemExit: 0",
    GOOD.replace("return Plant()", "raise SystemExit(0)"): "does not load: SystemExit: 0",
    GOOD.replace("return Plant()", "return None"): "create_plant returned None without finished",
    GOOD.replace("def report", "def rapport"): "create_plant returned a Plant without report",
    GOOD.replace("finished = False", "ready = False"): "without finished",
    GOOD.replace("create_plant", "make"): "has no attribute 'create_plant'",
    "def x(:\n": "does not load: SyntaxError: ",
    "raise ValueError('\\x1b[2J')\n": "does not load: ValueError: \\x1b[2J",
}
EXCHANGES = {
    'return b""': None,
    "return bytearray(3)": None,
    "raise SystemExit(0)": "exchange(): SystemExit: 0",
    "raise BrokenPipeError(32, 'gone')": "exchange(): BrokenPipeError: [Errno 32] gone",
    "return None": "exchange() returned None, not bytes",
    "return 'x'": "exchange() returned a str, not bytes",
    "return [1]": "exchange() returned a list, not bytes",
    "return bytes(60_001)": "exchange() returned 60001 bytes, more than 60000",
    "return self.exchange(time_ns, transmitted)": "exchange(): RecursionError: ",
}
REPORTS: dict[str, str | dict[str, object]] = {
    'return {"success": True, "x": 1.5}': {"success": True, "x": 1.5},
    'return {"x": float("nan"), "y": (1, None)}': {"x": None, "y": [1, None]},
    'return {"reasons": None}': {"reasons": []},
    'return {"reasons": "a\\nb"}': {"reasons": ["a\\x0ab"]},
    'return {"reasons": [1], "trajectory": [{"t": 1, "x": 2.5}]}': {
        "reasons": ["1"],
        "trajectory": [{"t": 1, "x": 2.5}],
    },
    "return 1 / 0": "report(): ZeroDivisionError: division by zero",
    "raise SystemExit": "report(): SystemExit",
    "return [1]": "report() returned a list, not a dictionary",
    "return None": "report() returned None, not a dictionary",
    'return {"x": {1}}': "report()['x'] is a set, which JSON cannot hold",
    'return {"x": {b"y": 1}}': "report() has a key that is a bytes, not a string",
    "return {1: 1}": "report() has a key that is a int, not a string",
    'return {"trajectory": 3}': "report()['trajectory'] is not a list of dictionaries of numbers",
    'return {"trajectory": [{"t": "x"}]}': "report()['trajectory'] is not a list of dictionaries of numbers",
    "x = []; x.append(x); return {'x': x}": "report()['x'] is nested too deeply",
}


def world(folder: Path, text: str) -> plants.World:
    (folder / "plant.py").write_text(text, encoding="utf-8")
    return plants.load(folder / "plant.py", 1)


@pytest.mark.parametrize("text", LOADS, ids=range(len(LOADS)))
def test_one_that_does_not_load(tmp_path: Path, text: str) -> None:
    with pytest.raises(UserError, match=re.escape(LOADS[text])) as raised:
        world(tmp_path, text)
    assert raised.value.problem.startswith("the plant ")
    assert "plant.py" in raised.value.problem


@pytest.mark.parametrize("line", EXCHANGES)
def test_what_it_sends(tmp_path: Path, line: str) -> None:
    plant, said = world(tmp_path, GOOD.replace('return b""', line)), EXCHANGES[line]
    if said is None:
        assert isinstance(plant.exchange(0, b""), bytes)
        return
    with pytest.raises(plants.PlantError, match=re.escape(str(said))):
        plant.exchange(0, b"")


@pytest.mark.parametrize("line", REPORTS)
def test_what_it_reports(tmp_path: Path, line: str) -> None:
    plant, wanted = world(tmp_path, GOOD.replace('return {"success": True}', line)), REPORTS[line]
    if isinstance(wanted, dict):
        assert plant.report() == wanted
        json.dumps(plant.report(), allow_nan=False)
        return
    with pytest.raises(plants.PlantError, match=re.escape(str(wanted))):
        plant.report()


def test_a_property_that_raises(tmp_path: Path) -> None:
    text = GOOD.replace("finished = False", "finished = property(lambda self: 1 / 0)")
    with pytest.raises(plants.PlantError, match="finished: ZeroDivisionError"):
        _ = world(tmp_path, text).finished


DECLARED = """[system]
board = "host"
plant = "plant.py"
duration = "20 ms"
[[task]]
name = "a"
entry = "a_job"
period = "5 ms"
wcet = "1 ms"
"""
CODE = """#include "takt_app.h"
#include "takt/board.h"
void a_job(void *argument)
{
    uint8_t byte = 0;
    (void)argument;
    (void)takt_board_link_exchange(&byte, 1, &byte, 1);
}
"""


@pytest.fixture
def run(takt: Takt, application: Callable[..., Path], scratch_builds: Path) -> Callable[[str], dict[str, Any]]:
    def one(plant: str) -> dict[str, Any]:
        folder = application(DECLARED, app_dot_c=CODE, plant_dot_py=plant)
        said = takt("run", folder, "--json")
        assert "Traceback" not in said.err
        return {"code": said.code, "err": said.err, **json.loads(said.out)}

    return one


def test_a_run_with_one_that_prints(run: Callable[[str], dict[str, Any]]) -> None:
    """Standard output is one document."""
    found = run("print('loading')\n" + GOOD.replace('return b""', 'print("hello"); return b""'))
    assert found["code"] == 0
    assert found["err"].count("hello") == 4
    assert "loading" in found["err"]


def test_a_run_with_one_that_ends(run: Callable[[str], dict[str, Any]]) -> None:
    found = run(GOOD.replace('return b""', "raise SystemExit(0)"))
    assert (found["code"], found["failure"]) == (1, "the plant failed at 1000000 ns: exchange(): SystemExit: 0")


def test_a_run_whose_report_fails(run: Callable[[str], dict[str, Any]]) -> None:
    found = run(GOOD.replace('return {"success": True}', "return 1 / 0"))
    assert (found["code"], found["plant"]) == (1, None)
    assert found["failure"] == "the plant failed: report(): ZeroDivisionError: division by zero"
