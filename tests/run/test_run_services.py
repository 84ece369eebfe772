# SPDX-License-Identifier: Apache-2.0
"""services/: an application that declares every kind of object, uses each, and says whether it did what it should."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import HOST_AND_FIRST, Run, only_full
from takt.declare import declaration, services
from takt.declare.schema import boards, service_calls
from takt.declare.service_table import SERVICES
from takt.image import build
from takt.support.provision import ROOT
from takt.trace import segments
from takt.trace.records import Event

FOLDER = Path(__file__).parent / "services"
Edited = Callable[..., Path]
SERVED = 3  # value of an alarm event: a task calls its handler


def test_every_kind_is_there() -> None:
    system = declaration.load(FOLDER / "system.toml")
    assert set(services.object_kinds(system).values()) == {service.kind for service in SERVICES}


@pytest.mark.parametrize("board", HOST_AND_FIRST)
def test_every_object_does_what_it_should(takt: Takt, board: str) -> None:
    said = takt("run", FOLDER, "--board", board)
    assert said.code == 0, said.out + said.err
    assert "services: right" in said.out


@pytest.mark.parametrize("preset", ["lean", pytest.param("debug", marks=only_full)])
def test_in_other_presets(takt: Takt, edited: Edited, preset: str) -> None:
    said = takt("run", edited(("system.toml", 'board = "host"', f'board = "host"\npreset = "{preset}"')))
    assert said.code == 0, said.out + said.err
    assert "services: right" in said.out


def test_the_trace_knows_what_each_object_is(run_json: Run) -> None:
    code, document = run_json(FOLDER)
    assert code == 0
    waited = {task["name"]: set(task["blocked_ns"]) for task in document["tasks"] if task["blocked_ns"]}
    assert waited == {"taker": {"condition"}, "acceptor": {"rendezvous"}}
    system = declaration.load(FOLDER / "system.toml")
    seen = segments.read(build.folder_of(system, boards.load("host"), "dm") / "run" / "trace.takt")
    kinds = dict(zip(seen.names.objects, seen.names.kinds, strict=True))
    assert (kinds["orders"], kinds["stream"], kinds["house"]) == ("slot", "pipe", "alarm_queue")
    events = [entry for entry in seen.entries if entry.event < Event.STAT_JOBS]
    used = {kinds[name] for entry in events if (name := entry.named(seen.names)["object"] or "") in kinds}
    assert used == set(kinds.values()) - {"state", "ring", "signal_pool"}  # those leave nothing in a trace
    served = [entry for entry in seen.entries if entry.event is Event.ALARM and entry.value == SERVED]
    assert [seen.names.objects[entry.object] for entry in served] == ["lamp", "lamp", "once", "lamp", "lamp"]
    assert {seen.names.tasks[entry.task] for entry in served} == {"keeper"}


def test_what_a_message_lends(takt: Takt, edited: Edited) -> None:
    """Without pinc the helper comes after the task that it should precede, and says so."""
    said = takt("run", edited(("system.toml", 'pinc = ["maker", "between"]\n', "")))
    assert said.code == 1
    assert "not right: ((const uint8_t *)message)" in said.out.replace("\n", "")


def test_the_proof_says_what_it_adds(takt: Takt) -> None:
    said = takt("check", FOLDER)
    assert said.code == 0
    assert "slot urgent: every job of helper counts twice more, above every band" in said.out
    assert "slot orders" not in said.out


@pytest.mark.parametrize("scheduler", ["edf", "csd2"])
def test_a_level_by_deadlines_cannot_be_lent(takt: Takt, scheduler: str) -> None:
    said = takt("check", FOLDER, "--scheduler", scheduler)
    assert said.code == 2
    assert re.search(
        r'system\.toml:\d+: \[\[slot\]\] "urgent": pinc: "maker" is in an edf band, whose level cannot be inherited',
        said.err,
    )
    assert 'try: scheduler = "dm", or a task of a fixed band' in said.err


def test_only_the_owner_allocates_its_slot(takt: Takt, edited: Edited) -> None:
    said = takt(
        "run", edited(("services.c", "    REQUIRE(orders_allocate() == TAKT_OK);\n", "    (void)!urgent_allocate();\n"))
    )
    assert said.code == 1
    assert "assertion" in said.out
    assert "takt_app.h" in said.out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("system.toml", "message_size = 8\n", "message_size = 12\n"), "message_size of [[mailbox]] letters"),
        (("sample.h", "uint32_t square;", "uint8_t bytes[65536];"), "type of [[state]] newest in system.toml: at most"),
        (
            ("sample.h", "    uint32_t number;\n    uint32_t square;\n", "    uint8_t bytes[8];\n"),
            "type of [[state]] newest in system.toml: a type of this size must be aligned to 4",
        ),
        (
            ("sample.h", "    uint32_t number;\n", "    uint32_t number __attribute__((aligned(16)));\n"),
            "type of [[slot]] orders in system.toml: aligned to 8 at most",
        ),
        (("sample.h", "struct sample {", "struct simple {"), "struct sample"),
    ],
)
def test_types_that_are_not_as_declared(takt: Takt, edited: Edited, change: tuple[str, str, str], message: str) -> None:
    folder = edited(change)
    assert takt("generate", folder).code == 0
    rooms = (
        "",
        "kernel/include",
        "kernel/config/preset/standard",
        "kernel/config/sched/fixed",
        "ports/host",
        "runner/include",
    )
    includes = [f"-I{ROOT / room}" for room in rooms]
    command = ["gcc", "-std=gnu11", "-fsyntax-only", *includes, str(folder / "system.c")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert message in done.stderr


NAMED = """
[[task]]
name = "writer"
period = "10 ms"
wcet = "1 ms"

[[state]]
name = "message"
message_size = 12
writer = "writer"
depth = 3

[[priority_mailbox]]
name = "priority"
type = "struct priority"
include = "priority.h"
capacity = 2

[[mailbox]]
name = "until_ns"
type = "uint32_t"
capacity = 2
"""


def test_objects_may_be_called_as_parameters_are(takt: Takt, tmp_path: Path) -> None:
    (tmp_path / "system.toml").write_text(NAMED)
    (tmp_path / "priority.h").write_text("struct priority { unsigned n; };\n")
    assert takt("generate", tmp_path).code == 0
    rooms = ("", "kernel/include", "kernel/config/preset/lean", "kernel/config/sched/fixed", "ports/host")
    includes = [f"-I{ROOT / room}" for room in (*rooms, "runner/include")]
    command = ["gcc", "-std=gnu11", "-Werror", "-fsyntax-only", *includes, "-x", "c", str(tmp_path / "takt_app.h")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_calls_are_in_the_docs() -> None:
    page = (ROOT / "docs" / "system-toml.md").read_text(encoding="utf-8")
    sections = {part.split("]]")[0]: part for part in page.split("\n## [[")}
    for service in SERVICES:
        verbs = {re.sub(r"^try_|_until$", "", call.verb) for call in service.calls}
        assert {verb for verb in verbs if f"`NAME_{verb}`" not in sections[service.kind]} == set()


def test_a_type_brings_its_calls_and_bytes_do_not() -> None:
    system = declaration.load(FOLDER / "system.toml")
    names = {
        item.name: [call.name(item) for call in service_calls.of(service.calls, item)]
        for service, _, item in services.objects(system)
    }
    assert names["newest"] == ["newest_write", "newest_read", "newest_read_locked"]
    assert (names["raw"], names["urgent"], names["made"]) == ([], ["urgent_allocate"], [])
    assert "orders_try_take" in names["orders"]
