# SPDX-License-Identifier: Apache-2.0
"""Tries memory from user mode: an application, to each of whose processes a task is added that follows a list.

The list of what is tried is written into the linked image, so that it can be made from what the image says.
"""

from __future__ import annotations

import shutil
import struct
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection
from protected_image import built, console_values, run
from takt.dev import debug_information
from takt.support.compile import BUILD

HERE = Path(__file__).parents[1] / "protection" / "tries"
IRQ = 13
_FACTS = debug_information.read(
    f'#include "{HERE / "tries.h"}"', {name: f"TRY_{name}" for name in ("READ", "WRITE", "REWRITE", "EXECUTE")}
)
READ, WRITE, REWRITE, EXECUTE = _FACTS.values.values()
ORDER = struct.Struct(_FACTS.structures["tries_order"].format())
HEADERS = ("tries.h", "tries_process.h", "tries_kernel.c")


@dataclass(frozen=True)
class Try:
    """A word that a process, by number, tries. `attach`: what it attaches before, from 1 on. `plant`: an instruction
    that returns is put there meanwhile."""

    process: int
    address: int
    access: int
    attach: int = 0
    plant: bool = False


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_value(item)}" for name, item in value.items()) + " }"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _toml(document: dict[str, Any]) -> str:
    lines: list[str] = []
    for name, tables in document.items():
        for table in tables if isinstance(tables, list) else [tables]:
            lines.append(f"[[{name}]]" if isinstance(tables, list) else f"[{name}]")
            lines += [f"{key} = {_value(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def attached(document: dict[str, Any], process: dict[str, Any]) -> list[str]:
    """What a process attaches or maps, in order: numbers from 1 on."""
    shared = [one for one in document.get("shared", []) if one.get("attach")]
    mine = [one["name"] for one in shared if process["name"] in (*one.get("write", []), *one.get("read", []))]
    return [*mine, *process.get("devices", [])]


def with_tries(application: Path, board_name: str, devices: dict[str, int]) -> tuple[dict[str, Any], Path]:
    """The declaration with the tasks that try, and its image. `devices`: where they are on that board."""
    document = tomllib.loads((application / "system.toml").read_text(encoding="utf-8"))
    folder = BUILD / f"tried-{application.name}-{board_name}"
    folder.mkdir(parents=True, exist_ok=True)
    for path in (*application.glob("*.[ch]"), *(HERE / name for name in HEADERS)):
        if not (folder / path.name).exists() or (folder / path.name).read_bytes() != path.read_bytes():
            shutil.copyfile(path, folder / path.name)
    document["system"] |= {"board": board_name, "protection": True, "scheduler": "dm"}
    document["system"].pop("plant", None)
    for device in document.get("device", []):
        device["base"] = devices.get(device["name"], device["base"])
    for process in document["process"]:
        name = process["name"]
        process["tasks"] = [*process.get("tasks", []), f"tries_{name}"]
        process["sources"] = [*process.get("sources", []), f"tries_{name}.c"]
        process["uses"] = [*process.get("uses", []), f"tries_orders_{name}"]
        process["gives"] = [*process.get("gives", []), f"tries_done_{name}"]
        process["on_fault"] = "restart"
        process.pop("restarts_max", None)
        document["task"].append({"name": f"tries_{name}", "entry": f"tries_job_{name}"})
        orders = {"name": f"tries_orders_{name}", "message_size": ORDER.size, "capacity": 1}
        document.setdefault("mailbox", []).append(orders)
        document.setdefault("semaphore", []).append({"name": f"tries_done_{name}"})
        _write(folder / f"tries_{name}.c", _source(document, process))
    tick = {"name": "tries_ticker", "number": IRQ, "handler": "tries_tick"}
    document.setdefault("interrupt", []).append({**tick, "min_interarrival": "1 ms", "wcet": "20 us"})
    names = " ".join(f"X({process['name']})" for process in document["process"])
    _write(folder / "tries_system.h", f"#define TRIES_PROCESSES(X) {names}\n")
    _write(folder / "system.toml", _toml(document))
    return document, built(folder, board_name)[1]


def _write(path: Path, text: str) -> None:
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _source(document: dict[str, Any], process: dict[str, Any]) -> str:
    devices = process.get("devices", [])
    cases = []
    for number, name in enumerate(attached(document, process), 1):
        how = "takt_device_map" if name in devices else "takt_shared_attach"
        cases.append(f"    if (which == {number}) {{\n        (void){how}(&{name});\n    }}")
    lines = [
        f"#define NAME(what) what##_{process['name']}",
        '#include "takt_app.h"',
        '#include "takt/process.h"',
        "static void attach(unsigned which)\n{\n    (void)which;",
        *cases,
        '}\n#include "tries_process.h"',
    ]
    return "\n".join(lines) + "\n"


def results(image: Path, board_name: str, tries: list[Try]) -> str:
    """What came of each: y done, n refused, s refused as a stack's guard; o, w: something else."""
    patched = image.with_name("tried.elf")
    shutil.copyfile(image, patched)
    with image.open("rb") as file:
        elf = ELFFile(file)
        table = elf.get_section_by_name(".symtab")
        assert isinstance(table, SymbolTableSection)
        with patched.open("r+b") as out:
            for name, content in (
                ("tries_count", struct.pack("<I", len(tries))),
                ("tries", b"".join(_packed(one) for one in tries)),
            ):
                symbol = next(iter(table.get_symbol_by_name(name) or []))
                assert len(content) <= symbol["st_size"], f"{len(tries)} tries are too many"
                section = elf.get_section(symbol["st_shndx"])
                out.seek(section["sh_offset"] + symbol["st_value"] - section["sh_addr"])
                out.write(content)
    done = run(patched, board_name, 120)
    assert done.returncode == 0, done.stdout[-2000:]
    letters: str = console_values(done.stdout, b"TRIES")["letters"]
    assert len(letters) == len(tries)
    return letters


def _packed(one: Try) -> bytes:
    return ORDER.pack(one.address, one.access, one.attach, one.process, one.plant)
