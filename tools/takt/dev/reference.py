# SPDX-License-Identifier: Apache-2.0
"""docs/reference/: a page for each group of public headers, and one for Python. The text is that of the headers
(takt.dev.headers), the figures are those of docs/calls.md, the examples are files of docs/examples, which tests run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from takt.dev import headers, python_reference
from takt.dev.headers import Item
from takt.image import contracts
from takt.support.errors import UserError
from takt.support.files import read_text
from takt.support.provision import ROOT
from takt.support.tables import wrapped

FOLDER = ROOT / "docs" / "reference"
EXAMPLES = ROOT / "docs" / "examples"
FIGURES = ROOT / "benchmarks" / "measured" / "calls.json"
OUTPUT = "output.txt"
STATUS = re.compile(r"\bTAKT_[A-Z]+(?:_[A-Z]+)*\b")


@dataclass(frozen=True)
class Page:
    """A page: its headers, by their names below takt/. Its examples are in the folder of that name."""

    name: str
    title: str
    about: str
    headers: tuple[str, ...]


PAGES = (
    Page("tasks", "Tasks, jobs and budgets", "Tasks, their start at run time, and what limits them.",
         ("takt.h", "task.h", "budget.h", "server.h", "admission.h", "system.h", "engine.h")),
    Page("time", "Time", "The clock, delays, alarms and watchdogs.", ("time.h", "alarm.h", "watchdog.h")),
    Page("sync", "Synchronization", "What tasks wait for: mutexes, semaphores, conditions, flags, calls of each other.",
         ("mutex.h", "semaphore.h", "condition.h", "events.h", "ceiling.h", "hint.h", "rendezvous.h")),
    Page("messages", "Messages", "Data from task to task, with and without the kernel's lock.",
         ("mailbox.h", "priority_mailbox.h", "pipe.h", "pool.h", "signal.h", "slot.h", "message_buffers.h", "ring.h",
          "state.h")),
    Page("processes", "Processes, threads and objects at run time",
         "For tasks in processes, and for systems with quotas ([guide](../processes.md)).",
         ("process.h", "create.h", "protection.h", "process_names.h")),
    Page("observe", "Traces, faults and checks", "What the kernel records of itself.",
         ("log.h", "trace.h", "fault.h", "invariants.h")),
    Page("board", "Boards", "What an application may call of its board, and what a board must define.",
         ("board.h", "board_can.h")),
    Page("console", "Console and shell", "Input from the console ([guide](../console.md)), and commands on it"
         " ([guide](../shell.md)).", ("console.h", "shell.h")),
    Page("analysis", "Analysis", "Whether all deadlines hold, in C; `takt check` uses it.",
         ("analysis.h", "analysis_can.h", "analysis_can_assign.h", "analysis_can_deadline.h",
          "analysis_can_printed.h", "analysis_chain.h", "analysis_clock.h")),
    Page("can", "CAN", "Frames, nodes, a simulated bus, filters, ISO-TP, controllers and the transmit queue, without an"
         " operating system; and buses of a system.",
         ("can_frame.h", "can_length.h", "can_parser.h", "can_crc.h", "can_node.h", "can_errors.h", "can_bus.h",
          "can_clock.h", "can_traffic.h", "can_filter.h", "can_isotp.h", "can_controller.h", "can_simulated.h",
          "can_queue.h", "can_service.h", "can_mts.h")),
    Page("e2e", "End-to-end protection", "Counter and check in the data that one application sends to another"
         " ([guide](../e2e.md)), without an operating system.", ("e2e.h",)),
    Page("clock", "Clocks", "A common time of several nodes ([guide](../clock.md)).", ("clock.h",)),
    Page("reflect", "Reflective memory", "Areas, packets and channels between machines ([guide](../reflect.md)).",
         ("reflect.h", "area.h", "node.h", "admit.h", "wire.h", "assemble.h", "push.h", "pace.h", "seal.h",
          "window.h")),
)  # fmt: skip


@cache
def public_headers() -> dict[str, Path]:
    """Every public header by its name below takt/."""
    patterns = (
        "kernel/include/takt/*.h",
        "analysis/include/takt/*.h",
        "net/*/include/takt/*.h",
        "reflect/*/include/takt/*.h",
        "library/*/include/takt/*.h",
        "runner/include/takt/*.h",
    )
    found = [path for pattern in patterns for path in ROOT.glob(pattern)]
    names = {path.name: path for path in sorted(found)}
    if len(names) != len(found):
        raise UserError("two public headers have the same name", "rename one")
    return names


@cache
def declared(name: str) -> tuple[Item, ...]:
    return tuple(headers.items(public_headers()[name]))


@cache
def _statuses() -> dict[str, tuple[str, ...]]:
    """Constants by the enum that a call may return, as C names it."""
    text = "\n".join(read_text(path) for path in [ROOT / "base" / "status.h", *public_headers().values()])
    found = {}
    for name, body in re.findall(r"^enum (takt_\w+) \{(.*?)^\};", text, re.MULTILINE | re.DOTALL):
        found[f"enum {name}"] = tuple(re.findall(r"^\s+(TAKT_\w+)", body, re.MULTILINE))
    return found


@dataclass(frozen=True)
class Function:
    """What a header says of a call. `errors`: what it may return besides the first of its enum; None: no status."""

    name: str
    header: str
    context: str
    blocks: str
    errors: tuple[str, ...] | None


@cache
def _result_types(header: str) -> Mapping[str, tuple[Item, str]]:
    """Each call's entry and the type that it returns."""
    found = {}
    for item in declared(header):
        if item.kind == "function":
            for name, code in zip(item.names, _signatures(item), strict=True):
                found[name] = (item, re.split(rf"\*?\b{name}\(", code)[0])
    return found


def _signatures(item: Item) -> list[str]:
    return [f"{text};" for text in item.code.split(";") if text.strip()]


def _plain(comment: str) -> str:
    return " ".join(headers.paragraphs(comment))


@cache
def functions(header: str) -> tuple[Function, ...]:
    """Every call of a header. UserError: its contract does not name its contexts, or not whether it blocks."""
    of_all = next((_plain(item.comment) for item in declared(header) if "Context of every call:" in item.comment), "")
    found = []
    for name, (item, _) in _result_types(header).items():
        text = _plain(item.comment)
        said = contracts.said(text) or contracts.said(of_all)
        if said is None:
            raise UserError(f'{header}:{item.line}: {name}: no "Context: ... Blocks: ..." in the comment before it')
        found.append(Function(name, header, *said, _errors(header, name)))
    return tuple(found)


def _errors(header: str, name: str) -> tuple[str, ...] | None:
    """Of a call that returns a status, those that its comment names, and those of the call that it is like."""
    types = _result_types(header)
    item, result = types[name]
    known = next((values for enum, values in _statuses().items() if re.search(rf"{enum}\b", result)), None)
    if known is None or "status" not in result:
        return None
    text = _plain(item.comment)
    prefix = known[0].removesuffix("OK")
    words = set(STATUS.findall(text)) | {prefix + word for word in re.findall(r"\b[A-Z]{4,}\b", text)}
    for reference in re.findall(r"\b(?:[Aa]s for|[Aa]s) (?:takt_)?(\w+)", text):
        like = _like(types, reference)
        if like is not None and like not in item.names:
            words |= set(_errors(header, like) or ())
    return tuple(value for value in known[1:] if value in words)


def _like(types: Mapping[str, Any], word: str) -> str | None:
    """The call that a comment refers to: "as lock", "as takt_mutex_lock"."""
    names = [name for name in types if name == f"takt_{word}" or re.fullmatch(rf"takt_[a-z]+(?:_[a-z]+)?_{word}", name)]
    return names[0] if names else None


@cache
def _figures() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(read_text(FIGURES))
    return document


def _costs(name: str) -> tuple[str, str]:
    """Instructions and bytes of stack, as docs/calls.md has them; "" where they were not measured."""
    row = next((row for row in _figures()["rows"] if row["call"] == name), None)
    if row is None:
        return "", ""
    return ", ".join(map(str, row["instructions"])), "" if row["stack"] is None else str(row["stack"])


def _prose(comment: str, whole: bool = False) -> str:
    """A comment as paragraphs and lists; names of ours as code. Contexts, and what it blocks for, are in a
    table. `whole`: it is about a header."""
    text = "\n\n".join(headers.paragraphs(comment))
    of_all = " of every call" if whole else "(?: of every call)?"
    text = re.sub(rf"Context{of_all}: [^.]*\. Blocks: [^.]*\.", "", text)
    text = re.sub(rf"Context{of_all}: [^.]*\.(?= |$)", "", text)
    text = re.sub(r"(?m)^(- .*)\n\n(?=- )", r"\1\n", text)
    parts = text.split("`")
    parts[::2] = [_marked(part) for part in parts[::2]]
    return "\n".join(line.strip() for line in "`".join(parts).split("\n")).strip()


def _marked(text: str) -> str:
    """Text outside of code: names as code, and what Markdown would take for something else escaped."""
    parts = re.split(r"((?<![\w/.])[\w/.]*[A-Za-z]\w*_\w+(?:[./]\w+)*(?:\(\))?)", text)
    parts[::2] = [re.sub(r"([_<])", r"\\\1", part) for part in parts[::2]]
    parts[1::2] = [f"`{part}`" for part in parts[1::2]]
    return "".join(parts)


def _table(item: Item, header: str) -> Iterator[str]:
    known = {one.name: one for one in functions(header)}
    measured = any(_costs(name)[0] for name in item.names)
    heads = ["call", "context", "blocks", "errors"]
    heads += ["[instructions](../calls.md)", "stack"] if measured else []
    yield f"| {' | '.join(heads)} |"
    yield "|" + "---|" * len(heads)
    for name in item.names:
        one = known[name]
        errors = "none" if one.errors is None else ", ".join(f"`{error}`" for error in one.errors)
        cells = [f"`{name}`", one.context, one.blocks, errors, *(_costs(name) if measured else ())]
        yield f"| {' | '.join(cells)} |"


def _entry(item: Item, header: str) -> Iterator[str]:
    if item.kind == "text":
        yield _prose(item.comment, whole=True)
        return
    yield f"### {', '.join(item.names)}"
    yield f"```c\n{item.code}\n```"
    text = _prose(item.comment) if item.comment else ""
    if text:
        yield text
    if item.kind == "function":
        yield "\n".join(_table(item, header))


def example_of(header: str) -> Path | None:
    """A file of docs/examples, by the name of the header."""
    return next(EXAMPLES.glob(f"*/{Path(header).stem}.c"), None)


def _example(header: str) -> Iterator[str]:
    path = example_of(header)
    if path is None:
        return
    yield f"### Example of takt/{header}"
    yield f"[{path.name}](../examples/{path.parent.name}/{path.name}):"
    yield f"```c\n{read_text(path).split(chr(10), 1)[1].strip()}\n```"
    lines = [line for line in read_text(path.with_name(OUTPUT)).split("\n") if line.startswith(f"{path.stem}: ")]
    yield "It prints:"
    yield "```\n" + "\n".join(lines) + "\n```"


def _page(page: Page) -> str:
    parts = [
        "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
        "<!-- Written by `takt docs` from the headers and docs/examples: do not edit. -->\n"
        f"# {page.title}",
        page.about,
    ]
    for header in page.headers:
        parts.append(f"## takt/{header}")
        path = public_headers()[header].relative_to(ROOT)
        parts.append(f"[{path}](../../{path})")
        for item in declared(header):
            parts += _entry(item, header)
        parts += _example(header)
    return wrapped("\n\n".join(part for part in parts if part)) + "\n"


def _index(pages: Sequence[Page]) -> str:
    rows = [
        f"| [{page.title}]({page.name}.md) | {', '.join(f'`takt/{name}`' for name in page.headers)} |" for page in pages
    ]
    text = (
        "<!-- SPDX-License-Identifier: Apache-2.0 -->\n"
        "<!-- Written by `takt docs`: do not edit. -->\n"
        "# Reference\n\n"
        "Every public function, macro and type, from the headers. Of each call a table says:\n\n"
        "- context: `task`; `interrupt`, one that may call the kernel; `init`, takt_system.init, before time 0; `any`,"
        " these three; `main` of the board; `idle`; what else the caller must be follows;\n"
        "- blocks: never, or until when;\n"
        "- errors: what it may return but success. `none`: it returns no status. A programmer's mistake is an"
        " assertion;\n"
        "- instructions: the worst case that was measured with 4, 16 and 64 other tasks, and the bytes of stack:"
        " [Calls](../calls.md) says how. Bounds of the other calls, such as O(length), are in their text.\n\n"
        "Times are in ns; absolute ones count from the start. The examples are files of docs/examples, which the tests"
        " run: those of the kernel are one application, `./takt run docs/examples/kernel --board host`.\n\n"
        "| page | headers |\n|---|---|\n"
        + "\n".join(rows)
        + "\n| [Sections and monitors in C++](../monitors.md) | `takt/takt.hpp` |"
        "\n| [Python](python.md) | |\n\n## Every call\n\n"
    )
    calls: list[str] = []
    for page in pages:
        for header in page.headers:
            known = {one.name: one for one in functions(header)}
            for item in declared(header):
                link = f"{page.name}.md#{_anchor(', '.join(item.names))}"
                own = [known[name] for name in item.names] if item.kind == "function" else []
                calls += [f"| [{one.name}]({link}) | `takt/{header}` | {one.context} | {one.blocks} |" for one in own]
    return wrapped(text) + "| call | header | context | blocks |\n|---|---|---|---|\n" + "\n".join(sorted(calls)) + "\n"


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def files() -> dict[Path, str]:
    """Every page. UserError: a header is on no page, or says too little of a call."""
    listed = [name for page in PAGES for name in page.headers]
    missing = set(public_headers()) ^ set(listed)
    if missing:
        raise UserError(f"{', '.join(sorted(missing))}: on no page, or not a header", "PAGES of takt.dev.reference")
    texts = {FOLDER / f"{page.name}.md": _page(page) for page in PAGES}
    return {FOLDER / "index.md": _index(PAGES), **texts, FOLDER / "python.md": python_reference.page()}
