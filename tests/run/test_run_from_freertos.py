# SPDX-License-Identifier: Apache-2.0
"""docs/from-freertos.md: what it writes in place of calls that are not there is built as printed, and works."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import FIRST_EMULATED
from takt.support.provision import ROOT

PAGE = (ROOT / "docs" / "from-freertos.md").read_text(encoding="utf-8")
SYSTEM = """
[system]
duration = "100 ms"
"""
TASK = """
[[task]]
name = "{name}"
entry = "{entry}"
style = "loop"
stack = 2048
"""
BUS = """
[[mutex]]
name = "bus"
users = [{ task = "a", hold = "5 us" }, { task = "b", hold = "5 us" }]
"""
NESTED = """
void nested(void *argument)
{
    (void)argument;
    bool first = takt_task_running() == TASK_a;
    takt_delay(TAKT_MS(first ? 1 : 2));
    enum takt_status status = bus_lock(takt_now() + TAKT_MS(3));
    printf("%s: %s at %u ms\\n", first ? "a" : "b", status == TAKT_OK ? "locks" : "gives up",
           (unsigned)(takt_now() / TAKT_MS(1)));
    for (int level = 0; first && level < 9; level++) {
        status = bus_lock(takt_now());
    }
    takt_delay(TAKT_MS(10));
    for (int level = 0; first && level < 9; level++) {
        bus_unlock();
    }
    if (first) {
        takt_delay(TAKT_MS(10));
        bus_unlock();
    } else if (bus_lock(TAKT_FOREVER) == TAKT_OK) {
        printf("b: locks at %u ms\\n", (unsigned)(takt_now() / TAKT_MS(1)));
        bus_unlock();
    }
    takt_delay_until(TAKT_FOREVER);
}
"""
MEETS = """
void meets(void *argument)
{
    (void)argument;
    struct takt_task *self = takt_task_running();
    unsigned number = self == TASK_a ? 0 : self == TASK_b ? 1 : 2;
    for (unsigned count = 0; count < 2; count++) {
        takt_delay(TAKT_MS(1 + (number + count) % 3 * 4));
        printf("%c arrives\\n", 'a' + (char)number);
        meet(1u << number, 7);
        printf("%c continues\\n", 'a' + (char)number);
    }
    takt_delay_until(TAKT_FOREVER);
}
"""


def block(heading: str, kind: str) -> str:
    """What the page writes in a language below a heading."""
    part = re.split(r"^##", PAGE.split(f"\n### {heading}\n")[1], flags=re.MULTILINE)[0]
    return "".join(re.findall(rf"```{kind}\n(.*?)```", part, re.DOTALL))


def console(takt: Takt, folder: Path, board: str) -> list[str]:
    said = takt("run", folder, "--board", board)
    assert said.code == 0, said
    return [line.removeprefix("| ") for line in said.out.splitlines() if line.startswith("| ")]


@pytest.fixture
def build(application: Callable[..., Path], scratch_builds: Path) -> Callable[..., Path]:
    """An application of tasks that share an entry, with what the page writes below a heading."""

    def write(heading: str, entry: str, names: str, more: str, use: str) -> Path:
        tasks = "".join(TASK.format(name=name, entry=entry) for name in names)
        head = '#include "takt_app.h"\n#include <stdio.h>\n#include <stdbool.h>\n'
        return application(SYSTEM + tasks + block(heading, "toml") + more, app_dot_c=head + block(heading, "c") + use)

    return write


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_the_mutex_that_counts_its_depth(takt: Takt, build: Callable[..., Path], board: str) -> None:
    """It is locked until the last unlock, and another task's wait ends in time."""
    folder = build("A recursive mutex", "nested", "ab", BUS, NESTED)
    assert console(takt, folder, board) == ["a: locks at 1 ms", "b: gives up at 5 ms", "b: locks at 21 ms"]


@pytest.mark.parametrize("board", FIRST_EMULATED)
def test_the_barrier(takt: Takt, build: Callable[..., Path], board: str) -> None:
    """No task continues before all have arrived, in each round, whichever comes last."""
    lines = console(takt, build("A barrier", "meets", "abc", "", MEETS), board)
    assert len(lines) == 12
    for first in range(0, 12, 6):
        arrive, go_on = lines[first : first + 3], lines[first + 3 : first + 6]
        assert {line.split()[0] for line in arrive if line.endswith("arrives")} == set("abc"), lines
        assert {line.split()[0] for line in go_on if line.endswith("continues")} == set("abc"), lines
