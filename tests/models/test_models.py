# SPDX-License-Identifier: Apache-2.0
"""The lock-free protocols, model checked by Spin: every property holds, and finds the faults that are named for it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
TIMEOUT_S = 100  # of a second

# Of each model: its size, the values of it that are checked, its properties by number, and by property the faults that
# it finds: number and what they are, for the largest size.
MODELS: dict[str, tuple[str, tuple[int, ...], dict[str, dict[int, str]]]] = {
    "ring": (
        "CAPACITY",
        (1, 2, 3),
        {
            "FIFO": {
                1: "put does not look whether a slot is free",
                2: "put takes a slot that is being read for free",
                4: "an item is full before it is written",
                6: "get takes an item that is being written",
                7: "get frees a slot before it has read it",
                8: "get does not free",
                10: "get does not go on to the next slot",
            },
            "TRUTH": {3: "the last slot is never used", 5: "put completes nothing", 9: "get frees nothing"},
            "MARKS": {5: "the mark of put stays", 9: "the mark of get stays"},
            "OWNER": {2: "put goes where get is at work", 7: "get works where it has made room"},
        },
    ),
    "state": (
        "DEPTH",
        (2, 3),
        {
            "WHOLE": {
                2: "a copy is marked after its message has changed",
                5: "nothing is looked at after the copy",
            },
            "NEWEST": {3: "a message is not made the newest", 4: "a message is read that is not yet the newest"},
            "ALARM": {
                1: "the writer stays in one copy",
                6: "a read is refused one write too early",
            },
        },
    ),
    "area": (
        "DEPTH",
        (2, 4),
        {
            "WHOLE": {
                1: "a slot keeps its number while it is written",
                2: "nothing is looked at after the copy",
                3: "a value is the newest before it is written",
            },
            "NEWEST": {6: "the value before the newest one is read"},
            "COUNTED": {
                5: "what was overwritten before it was taken is not counted",
                7: "what was overwritten while it was taken is not counted",
            },
            "ALARM": {4: "a value is the newest before its slot has its number"},
        },
    ),
}
CASES = [
    (model, size, number, name)
    for model, (_, sizes, properties) in MODELS.items()
    for size in sizes
    for number, name in enumerate(properties, 1)
]
FAULTS = [
    (model, sizes[-1], number, fault, f"{name}: {text}")
    for model, (_, sizes, properties) in MODELS.items()
    for number, (name, faults) in enumerate(properties.items(), 1)
    for fault, text in faults.items()
]

Check = Callable[[str, int, int, int], str]


@pytest.fixture(scope="module")
def check(tmp_path_factory: pytest.TempPathFactory) -> Check:
    """Runs the checker of a model for (model, size, property, fault). Returns what it found: "" or its message."""
    folder = tmp_path_factory.mktemp("spin")
    made: dict[str, Path] = {}

    def make(model: str) -> Path:
        target = folder / model
        target.mkdir()
        for command in (
            ["spin", "-a", str(FOLDER / f"{model}.pml")],
            ["gcc", "-O1", "-w", "-DSAFETY", "-DNOREDUCE", "-o", "pan", "pan.c"],
        ):
            done = subprocess.run(command, cwd=target, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
        return target / "pan"

    def run(model: str, size: int, number: int, fault: int) -> str:
        if model not in made:
            made[model] = make(model)
        settings = {MODELS[model][0]: str(size), "PROPERTY": str(number), "FAULT": str(fault)}
        command = [str(made[model]), "-m100000", "-w20"]
        where = made[model].parent
        done = subprocess.run(
            command,
            cwd=where,
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        assert "max search depth too small" not in done.stdout, done.stdout
        errors = re.search(r"errors: (\d+)", done.stdout)
        states = re.search(r"(\d+) states, stored", done.stdout)
        assert errors is not None, done.stdout + done.stderr
        assert states is not None, done.stdout
        print(f"{states[1]} states")
        if errors[1] == "0":
            assert int(states[1]) > 100, done.stdout
            return ""
        found = re.search(r"assertion violated .*|invalid end state", done.stdout)
        return found[0] if found else done.stdout

    return run


@pytest.mark.parametrize(("model", "size", "number", "name"), CASES, ids=str)
def test_a_property_holds(check: Check, model: str, size: int, number: int, name: str) -> None:
    assert check(model, size, number, 0) == "", name


@pytest.mark.parametrize(("model", "size", "number", "fault", "text"), FAULTS, ids=str)
def test_a_property_finds_its_faults(check: Check, model: str, size: int, number: int, fault: int, text: str) -> None:
    assert f"(property!={number})" in check(model, size, number, fault).replace(" ", ""), text
