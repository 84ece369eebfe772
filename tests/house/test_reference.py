# SPDX-License-Identifier: Apache-2.0
"""docs/reference has every public name, with what a caller must know, and is what would be generated."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from takt.dev import headers, python_reference, reference
from takt.dev.reference import EXAMPLES, FOLDER, PAGES
from takt.image import contracts
from takt.support.errors import UserError
from takt.support.provision import ROOT

ALL = [header for page in PAGES for header in page.headers]
WITHOUT_EXAMPLE = {
    "takt.h": "includes the others",
    "admission.h": "tables that are generated, without a call",
    "system.h": "a table that is generated",
    "server.h": "a table that is generated, without a call",
    "engine.h": "constants of a build",
    "protection.h": "constants of a build",
    "process_names.h": "included by a build",
    "message_buffers.h": "memory of two of the others",
    "process.h": "apps/flight and tests/protection: it needs a board",
    "log.h": "docs/log.md: what it prints is in the trace",
    "fault.h": "ends the program",
    "console.h": "docs/console.md and tests/run/console: it answers what is typed",
    "shell.h": "docs/shell.md and apps/shell: what it prints answers what is typed",
    "node.h": "reflect/core/test/pair.h: two nodes",
    "admit.h": "docs/reflect.md: through `takt reflect admit`",
    "assemble.h": "used by node.h",
    "analysis_can_assign.h": "tests/analysis/test_can_order.py: random buses beside all orders",
    "analysis_can_deadline.h": "tests/analysis/test_can_deadline.py, by ctypes",
    "analysis_can_printed.h": "tests/analysis/test_can_printed.py, by ctypes",
    "analysis_chain.h": "tests/analysis/test_chain.py, by ctypes",
    "analysis_clock.h": "net/clock/test/clock_bounds_test.c: bounds that were worked out by hand",
    "can_frame.h": "net/can/test/frame_test.c: frames and their bits",
    "can_length.h": "net/can/test/length_test.c: lengths by hand",
    "can_parser.h": "used by can_frame.h",
    "can_crc.h": "used by can_parser.h",
    "can_node.h": "net/can/test/node_test.c: nodes on a bus",
    "can_errors.h": "used by can_node.h",
    "can_bus.h": "net/can/test/faults_test.c: a bus with faults",
    "can_clock.h": "net/can/test/clock_test.c: a bus whose nodes have clocks of their own",
    "can_traffic.h": "benchmarks/canbus/measure.c: a bus of 150 messages",
    "can_filter.h": "net/can/test/filter_test.c: filters and sets of masks",
    "can_isotp.h": "net/can/test/isotp_test.c: messages frame by frame",
    "can_controller.h": "net/can/test/queue/controller_cases.h: what every driver has to pass",
    "can_simulated.h": "net/can/test/queue/controller_test.c: controllers on a bus",
    "can_mts.h": "net/can/test/mts/mts_test.c: a node from tick to tick",
    "clock.h": "net/clock/test/clock_test.c: a node from tick to tick",
    "board_can.h": "tests/canbus/test_can_driven.py: simulated controllers",
    "can_service.h": "tests/canbus/test_can_driven.py: what tasks send and receive",
    "can_queue.h": "net/can/test/queue/queue_test.c: a node's frames in order",
    "e2e.h": "net/e2e/test/e2e_test.c: a sender and a receiver",
    "pace.h": "used by node.h",
    "seal.h": "used by node.h",
    "window.h": "used by node.h",
}


@pytest.fixture(scope="module")
def wanted() -> dict[Path, str]:
    return reference.files()


def test_the_pages_are_what_the_headers_say(wanted: dict[Path, str]) -> None:
    stale = [path.name for path, text in wanted.items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "write them with: takt docs"
    assert set(FOLDER.glob("*")) == set(wanted)


def test_no_call_is_missing(wanted: dict[Path, str]) -> None:
    """Those that the compiler finds in the kernel's headers, and by a simple pattern those of all."""
    index = wanted[FOLDER / "index.md"]
    names = {name for name, *_ in contracts.declared(processes=True)}
    for path in reference.public_headers().values():
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        text = re.sub(r"^#.*(\\\n.*)*", "", text, flags=re.MULTILINE)
        names |= set(re.findall(r"^[a-zA-Z_][\w \*]*?\b(takt_\w+)\((?!\*)", text, re.MULTILINE))
    assert len(names) > 240
    assert [name for name in sorted(names) if f"[{name}](" not in index] == []


@pytest.mark.parametrize("header", ALL)
def test_every_call_says_what_a_caller_must_know(header: str) -> None:
    found = reference.functions(header)
    silent = [one.name for one in found if one.errors == ()]
    assert silent == [], "they return a status, and the comment names none but success"
    assert all(one.context and one.blocks for one in found)


def test_known_contracts() -> None:
    """What is read of a few, written here by hand."""
    by_name = {one.name: one for header in ("mutex.h", "mailbox.h", "time.h") for one in reference.functions(header)}
    lock = by_name["takt_mutex_lock_until"]
    assert lock.context == "task that does not own it"
    assert lock.blocks == "until no other task owns it"
    assert lock.errors == ("TAKT_TIMEOUT", "TAKT_DELETED", "TAKT_OWNER_DIED", "TAKT_DEADLOCK")
    assert by_name["takt_mailbox_receive"].errors == ("TAKT_TIMEOUT", "TAKT_DELETED")
    assert by_name["takt_now"].errors is None


def test_every_header_has_an_example_or_a_reason() -> None:
    without = {header for header in ALL if reference.example_of(header) is None}
    assert without == set(WITHOUT_EXAMPLE)
    used = {path for header in ALL if (path := reference.example_of(header)) is not None}
    assert set(EXAMPLES.glob("*/*.c")) == used


def test_names_of_pages_are_code_and_private_ones_are_left_out(wanted: dict[Path, str]) -> None:
    text = wanted[FOLDER / "sync.md"]
    assert "### takt_semaphore_wait, takt_semaphore_wait_until\n" in text
    assert "next_contended" not in text
    assert "struct takt_semaphore;" in text


def test_a_call_without_a_contract_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    header = tmp_path / "lamp.h"
    header.write_text("/* Switches it on. Blocks: never. */\nvoid takt_lamp_on(void);\n", encoding="utf-8")
    monkeypatch.setattr(reference, "declared", lambda _: tuple(headers.items(header)))
    reference.functions.cache_clear()
    reference._result_types.cache_clear()
    with pytest.raises(UserError, match=r'lamp.h:2: takt_lamp_on: no "Context: ... Blocks: ..."'):
        reference.functions("lamp.h")


def test_a_header_on_no_page_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "PAGES", PAGES[1:])
    with pytest.raises(UserError, match=r"task\.h.*: on no page"):
        reference.files()


def test_public_python_has_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "tools" / "lamp.py"
    module.parent.mkdir()
    module.write_text('"""A lamp."""\ndef on() -> None: ...\n', encoding="utf-8")
    monkeypatch.setattr(python_reference, "ROOT", tmp_path)
    monkeypatch.setattr(python_reference, "PUBLIC", {"lamp": ("on",)})
    with pytest.raises(UserError, match=r"lamp\.on: public, but it has no docstring"):
        python_reference.page()
    assert (ROOT / "docs" / "reference" / "python.md").exists()
