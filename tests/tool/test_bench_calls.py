# SPDX-License-Identifier: Apache-2.0
"""`takt bench calls`: every public call has a row, the kept figures are measured anew, contracts and stacks read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from command_line import documented, keys
from running import EMULATED, only_full
from takt.bench import calls
from takt.bench.documents import results
from takt.image import contracts, machine_code, stack
from takt.image.contracts import Call
from takt.support.errors import UserError


@only_full
@pytest.mark.parametrize("board", EMULATED[:1])
def test_the_figures_are_as_kept(board: str) -> None:
    kept = {row["call"]: row for row in results("calls")["rows"]}
    document = calls.measure(board)
    assert set(keys(document)) == documented("bench calls")
    found = {row["call"]: row for row in document["rows"]}
    changed = [f"{name}: {kept.get(name)} -> {found.get(name)}" for name in found if found[name] != kept.get(name)]
    assert changed == [], "reviewed and meant? ./takt bench calls --update; ./takt bench docs"
    assert list(kept) == list(found)


def test_every_call_has_a_row() -> None:
    assert [row["call"] for row in results("calls")["rows"]] == [call.name for call in calls.public()]


def test_the_keys_are_documented() -> None:
    document = results("calls")
    assert set(keys(document)) == documented("bench calls")
    for row in document["rows"]:
        assert len(row["instructions"]) == (0 if row["not_measured"] else len(calls.TASKS)), row["call"]
        assert row["instructions"] == sorted(row["instructions"]), f"{row['call']}: fewer with more tasks"


def test_every_function_of_the_headers_is_seen() -> None:
    """Counted the simple way: names before a parenthesis where a line begins with a declaration."""
    text = "".join(path.read_text(encoding="utf-8") for path in contracts.HEADERS.glob("*.h"))
    before = r"^(?:TAKT_MUST_USE |static inline |TAKT_NORETURN |volatile )*"
    kind = r"(?:enum |struct |unsigned |void |bool |uint\d+_t |size_t )"
    named = set(re.findall(before + kind + r".*?\b(takt_[a-z]\w*)\(", text, re.MULTILINE))
    assert named == {call.name for call in contracts.calls(processes=True)}
    without = {call.name for call in contracts.calls()}
    assert without < named
    assert {call.header for call in contracts.calls(True) if call.name not in without} == {"create.h", "process.h"}
    assert len(without) > 130


def test_a_call_that_no_scenario_has_is_refused() -> None:
    call = Call("takt_new_call", "new.h", ("task",), "", "never")
    with pytest.raises(UserError, match="takt_new_call: no scenario in benchmarks/calls"):
        calls.row(call, [{"takt_new: other": 1, "takt_new_call: hinted, one": 1}], 0, 0)


def test_the_longest_scenario_counts() -> None:
    found = {"takt_a: short": 3, "takt_a: long": 30, "takt_a_b: other": 100}
    assert calls.longest(found, "takt_a") == (30, "long")
    hinted = {"takt_a: hinted, long": 40, "takt_a: hinted, short": 4}
    assert calls.longest({**found, **hinted}, "takt_a") == (30, "long")
    call = Call("takt_a", "a.h", ("task",), "", "never")
    assert calls.row(call, [{**found, **hinted}], 0, 0)["hinted"] == [40]
    assert calls.row(call, [found], 0, 0)["hinted"] == []


def test_contracts_are_read() -> None:
    def read(text: str) -> Any:
        return contracts.contract(text)

    assert read("Does it. Context: any. Blocks: never. O(1).") == (("task", "interrupt", "init"), "", "never")
    owner = read("Context: task that owns it, not cooperative. Blocks: until there is room.")
    assert owner == (("task",), "that owns it, not cooperative", "until there is room")
    assert read("Context: task, interrupt; once. Blocks: never.") == (("task", "interrupt"), "once", "never")
    assert read("Context: task. Never blocks.") is None
    assert read("Context: anybody. Blocks: never.") is None


def test_a_call_without_a_contract_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    header = tmp_path / "x.h"
    header.write_text(
        "/* Context: task. Blocks: never. */\nvoid takt_a(void);\nvoid takt_b(void);\n\nvoid takt_c(void);\n"
    )
    rows = [("takt_a", header, 2, False), ("takt_b", header, 3, True)]
    monkeypatch.setattr(contracts, "declared", lambda processes, headers: rows)
    assert [call.contexts for call in contracts.calls()] == [("task",), ("task",)]
    rows.append(("takt_c", header, 5, False))
    with pytest.raises(ValueError, match=r"x\.h:5: takt_c: no \"Context"):
        contracts.calls()


def node(title: str, size: int) -> str:
    return f'node: {{ title: "{title}" label: "{title}\\n/x.c:1:2\\n{size} bytes (static)\\n0 dynamic objects" }}\n'


def edge(caller: str, callee: str) -> str:
    return f'edge: {{ sourcename: "{caller}" targetname: "{callee}" label: "/x.c:1:2" }}\n'


NODES = node("a", 8) + node("/x.c:b.constprop.0", 16) + node("c", 24) + node("d", 4)


def graph(text: str, **more: Any) -> stack.Graph:
    found = stack.Graph(**more)
    found.add(NODES + text)
    return found


def test_the_deepest_way_counts() -> None:
    calls_both = edge("a", "/x.c:b.constprop.0") + edge("/x.c:b.constprop.0", "d") + edge("a", "d")
    assert graph(calls_both).most("a") == 8 + 16 + 4
    assert graph(calls_both + edge("d", "c")).most("a") == 8 + 16 + 4 + 24


def test_what_is_never_called_there_is_no_way() -> None:
    calls_back = edge("a", "d") + edge("d", "c") + edge("c", "d")
    assert graph(calls_back, not_below={"d": ("c",)}).most("a") == 8 + 4 + 24
    assert graph(calls_back, not_below={"d": ("c",)}).most("c") == 24


def test_an_inline_function_of_several_objects_counts_as_the_worst_of_them() -> None:
    """The linker takes one of them, and each caller names that of its own file."""
    several = node("/x.cc:_Z1fv", 8) + node("/y.cc:_Z1fv", 40) + edge("/x.cc:_Z1fv", "c") + edge("a", "/x.cc:_Z1fv")
    found = graph(several)
    stack.as_the_worst(found, {"/x.cc:_Z1fv", "/y.cc:_Z1fv"})
    assert found.most("a") == 8 + 40 + 24
    assert found.most("/y.cc:_Z1fv") == 40 + 24


def test_labels_have_quotes_and_commas_of_cxx() -> None:
    """Of operator "" and templates."""
    text = 'node: { title: "_Zli3_msy" label: "long operator\\"\\"_ms<a, b>(int)\\n/x.cc:1:2\\n24 bytes (static)" }\n'
    found = stack.Graph()
    found.add(text)
    assert found.frames == {"_Zli3_msy": 24}


def test_what_has_no_bound_is_refused() -> None:
    with pytest.raises(UserError, match="recursion: a > d > a"):
        graph(edge("a", "d") + edge("d", "a")).most("a")
    assert graph(edge("a", "d") + edge("d", "a"), twice=("a", "d")).most("a") == 2 * (8 + 4)
    with pytest.raises(UserError, match="a: it calls through a pointer"):
        graph(edge("a", "__indirect_call")).most("a")
    assert graph(edge("a", "__indirect_call"), indirect={"a": ("x.c:b", "d")}).most("a") == 8 + 16
    with pytest.raises(UserError, match="memcpy: its use of stack"):
        graph(edge("a", "memcpy")).most("a")
    with pytest.raises(UserError, match="e: no bound"):
        graph(node("e", 8).replace("static", "dynamic")).most("e")


def test_what_assembly_pushes() -> None:
    code = "\tpush\t{r2, r4-r11, lr}\n\tstmdb\tsp!, {r4, r5}\n\tsub.w\tsp, sp, #12\n\tstrd\tip, lr, [sp, #-16]!\n"
    assert machine_code.pushed(code) == (40 + 8 + 12 + 16, [])
    assert machine_code.pushed(" 8:\tf000 f806 \tbl\t87b4 <other>\n\tsubs\tr1, #4\n") == (0, ["other"])


def test_many_ways_through_few_functions_take_no_time() -> None:
    """Each calls two that call the same: 2^60 ways."""
    pairs = [(f"f{n}", f"{side}{n}", f"f{n + 1}") for n in range(60) for side in "lr"]
    names = {name for pair in pairs for name in pair}
    text = "".join(node(name, 8) for name in names)
    text += "".join(edge(one, middle) + edge(middle, other) for one, middle, other in pairs)
    assert graph(text).most("f0") == 8 * 121
    blocked = graph(text + edge("f60", "d") + edge("d", "c"), not_below={"c": ("l30",)})
    assert blocked.most("f0") == 8 * 121 + 4 + 24, "by r30"


def test_calls_too_deep_have_no_bound() -> None:
    text = "".join(node(f"f{n}", 8) + edge(f"f{n}", f"f{n + 1}") for n in range(2 * stack.DEEP))
    with pytest.raises(UserError, match="nested deeper"):
        graph(text).most("f0")
