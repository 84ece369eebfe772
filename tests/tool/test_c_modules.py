# SPDX-License-Identifier: Apache-2.0
"""Modules of tools/takt/support/c say what the C headers say, and nothing else says it."""

from __future__ import annotations

import ctypes
import re
import struct
from pathlib import Path

import pytest
from takt.dev import c_modules, debug_information, docs
from takt.dev.c_modules import MODULES, Module
from takt.observe.process_faults import CAUSES, UNKNOWN
from takt.support.c import admission, analysis, areas, kernel, traces
from takt.support.errors import UserError
from takt.support.provision import ROOT, require

require("host", "arm")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.name))
def test_a_module_says_what_the_headers_say(module: Module) -> None:
    assert module.path.read_text(encoding="utf-8") == c_modules.text(module), "write it with: takt docs"


def test_there_is_no_other_module() -> None:
    assert {path.stem for path in c_modules.FOLDER.glob("*.py")} == {"__init__", *(module.name for module in MODULES)}


def test_a_changed_header_changes_the_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written there, and nowhere else, is what the tool knows."""
    trace = next(module for module in MODULES if module.name == "traces")
    text = (ROOT / "kernel" / "include" / "takt" / "trace.h").read_text(encoding="utf-8")
    for old, new in (
        ("TAKT_EVENT_STAT_JOBS = 64", "TAKT_EVENT_STAT_JOBS = 70"),
        ("uint8_t event;", "uint16_t event;"),
        ("uint16_t task;", "uint8_t task;"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    (tmp_path / "takt").mkdir()
    (tmp_path / "takt" / "trace.h").write_text(text, encoding="utf-8")
    monkeypatch.setattr(
        debug_information, "HOST", debug_information.How("gcc", (str(tmp_path), *debug_information.HOST.includes))
    )
    said = c_modules.text(trace)
    assert "    STAT_END = 79\n" in said
    assert 'RECORD = struct.Struct("<IHBBIHH")\n' in said


def test_c_is_read_as_the_compiler_reads_it() -> None:
    facts = debug_information.read(
        "#include <stdint.h>\n#include <stdbool.h>\n"
        "enum kind { KIND_A = 3, KIND_B };\n"
        "struct inner { uint8_t a[3]; int16_t b; };\n"
        "struct outer { bool flag; const struct inner *to; struct inner in[2]; enum kind kind; char name[5];"
        "void *any; };",
        {"LARGEST": "UINT64_MAX", "SIZE": "sizeof(struct outer)", "SHIFTED": "1 << 4 | 3"},
    )
    assert facts.enumerations["kind"] == {"KIND_A": 3, "KIND_B": 4}
    assert facts.values == {"LARGEST": 2**64 - 1, "SIZE": 48, "SHIFTED": 19}
    assert facts.structures["inner"].format() == "<3sxh"
    outer = facts.structures["outer"]
    assert outer.format() == "<?xxxxxxxQ12sI5sxxxQ"
    assert [c_modules.ctype(field.kind, {"inner": "Inner"}) for field in outer.fields] == [
        *("ctypes.c_bool", "ctypes.POINTER(Inner)", "Inner * 2", "ctypes.c_uint32", "ctypes.c_char * 5"),
        "ctypes.c_void_p",
    ]


def test_takt_docs_writes_them() -> None:
    assert c_modules.files in docs.groups()


def test_pages_name_causes_and_reasons() -> None:
    """docs/json.md: what a fault of a process, and of a system, is called."""
    page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
    rows = {
        key: re.findall(r"`([a-z]+)`", said) for key, said in re.findall(r"^\| `([\w.\[\]]+)` \| (.*) \|$", page, re.M)
    }
    assert rows["faults[].cause"] == [*(CAUSES[cause][0] for cause in kernel.ProcessCause), UNKNOWN[0]]
    survived = {kernel.FaultReason.DEADLOCK, kernel.FaultReason.SECTION}
    assert rows["fault.reason"] == [reason.name.lower() for reason in kernel.FaultReason if reason not in survived]


def test_what_does_not_compile_is_refused() -> None:
    with pytest.raises(UserError, match=r"does not compile alone: .*gone\.h"):
        debug_information.read('#include "gone.h"')


def test_modules_have_the_layouts_of_c() -> None:
    """By a way of their own: sizes that the compiler says, and what C documents as fixed for ever."""
    assert (traces.RECORD.size, traces.WIDE.size, traces.Event.TIME, traces.Event.STAT_JOBS) == (16, 16, 0, 64)
    assert struct.pack("<I", kernel.FAULT_MAGIC) == b"TFKT"
    sizes = {
        "takt_analysis_set": analysis.Set,
        "takt_admit_channel": admission.Channel,
        "takt_reflect_info": areas.Info,
    }
    headers = "".join(f'#include "takt/{name}.h"\n' for name in ("analysis", "admit", "reflect"))
    said = debug_information.read(headers, {tag: f"sizeof(struct {tag})" for tag in sizes})
    assert {tag: ctypes.sizeof(structure) for tag, structure in sizes.items()} == said.values
