# SPDX-License-Identifier: Apache-2.0
"""Gates and the clock in cells of a library, and the path by which it is."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import pytest
import small_library
from running import only_full
from takt.hardware import cells, liberty, synthesis, timing
from takt.support.errors import UserError

NETS = {"clock": 2, "reset": 3, "a_q": 4, "b_q": 5, "nand": 6, "c_q": 7}


@functools.cache
def small() -> liberty.Library:
    return liberty.parse(small_library.library())


def netlist(**instances: tuple[str, dict[str, int | str]]) -> dict[str, Any]:
    """As yosys writes it."""
    rows = {
        name: {"type": kind, "connections": {pin: [net] for pin, net in nets.items()}}
        for name, (kind, nets) in instances.items()
    }
    names = {name: {"bits": [net], "hide_name": 0} for name, net in NETS.items()}
    return {"modules": {"top": {"cells": rows, "netnames": {**names, "$auto$1": {"bits": [4], "hide_name": 1}}}}}


def longest(
    tmp_path: Path, known: liberty.Library | None = None, **instances: tuple[str, dict[str, int | str]]
) -> timing.Path | None:
    path = tmp_path / "netlist.json"
    path.write_text(json.dumps(netlist(**instances)), encoding="utf-8")
    return timing.longest(path, "top", known or small())


def flip_flop(data: int, output: int) -> tuple[str, dict[str, int | str]]:
    return "FF_RESET", {"C": 2, "R": 3, "D": data, "Q": output}


def test_a_path_is_the_sum_of_its_cells(tmp_path: Path) -> None:
    """0.2 + 2 loads, 0.1 + 2 loads; the end wants 0.05 and the edge's 0.1 before the clock."""
    found = longest(tmp_path, a=flip_flop(9, 4), nand=("NAND", {"A": 4, "B": "1", "Y": 6}), c=flip_flop(6, 7))
    assert found is not None
    assert found.picoseconds == pytest.approx(200 + 20 + 100 + 20 + 150)
    assert (found.begin, found.end, found.stages) == ("a_q", "c_q", ("FF_RESET", "NAND"))


def test_loads_and_slow_edges_count(tmp_path: Path) -> None:
    """SLOW drives two inputs, and its edge of 0.3 is what the end has to wait for."""
    gates = {"slow": ("SLOW", {"A": 4, "B": "0", "Y": 6}), "more": ("INV", {"A": 6, "Y": 8})}
    found = longest(tmp_path, a=flip_flop(9, 4), c=flip_flop(6, 7), **gates)  # type: ignore[arg-type]
    assert found is not None
    assert found.picoseconds == pytest.approx(200 + 20 + 100 + 40 + 350)


def test_an_inverter_turns_an_edge(tmp_path: Path) -> None:
    """The rising edge of LATE takes 1 ns more, and so does TURN's falling one, which is the one that it becomes."""
    late = small_library.flip_flop("LATE", 20, reset=False, late="rise")
    slow = small_library.gate("TURN", 2, "!A", "A", 0.05, "negative_unate", late="fall")
    known = liberty.parse(small_library.library(*small_library.CELLS, late, slow))
    gates = {"a": ("LATE", {"C": 2, "D": 9, "Q": 4}), "turn": ("TURN", {"A": 4, "Y": 6})}
    found = longest(tmp_path, known, c=flip_flop(6, 7), **gates)  # type: ignore[arg-type]
    assert found is not None
    assert found.picoseconds == pytest.approx(1200 + 20 + 1050 + 20 + 150)


def test_pins_and_resets_are_no_ends(tmp_path: Path) -> None:
    """An input of the design goes through gates, a flip-flop drives a reset and an output."""
    gates = {"nand": ("NAND", {"A": 10, "B": 10, "Y": 6}), "a": ("FF_RESET", {"C": 2, "R": 5, "D": 6, "Q": 4})}
    assert longest(tmp_path, b=flip_flop(9, 5), **gates) is None  # type: ignore[arg-type]


def test_what_is_no_netlist_of_the_library(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the library has no cell for \\$mem_v2"):
        longest(tmp_path, memory=("$mem_v2", {}))
    loop = {"x": ("INV", {"A": 4, "Y": 5}), "y": ("INV", {"A": 5, "Y": 4})}
    with pytest.raises(ValueError, match="a loop of gates"):
        longest(tmp_path, **loop)  # type: ignore[arg-type]


MEMORY = """// SPDX-License-Identifier: Apache-2.0
module top (input logic clk_i, input logic write_i, input logic word_i, input logic bit_i, output logic bit_o);
  logic words[2];
  logic word_q;
  always_ff @(posedge clk_i) begin
    word_q <= word_i;
    bit_o <= words[word_q] ^ bit_i;
    if (write_i) words[word_q] <= bit_i;
  end
endmodule
"""


@pytest.fixture
def known(tmp_path: Path) -> cells.Cells:
    path = tmp_path / "a library.lib"
    path.write_text(small_library.library(), encoding="utf-8")
    return cells.load(path)


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> synthesis.Design:
    monkeypatch.setattr(synthesis, "BUILD", tmp_path / "build")
    source = tmp_path / "top.sv"
    source.write_text(MEMORY, encoding="utf-8")
    return synthesis.Design("memory", "top", (source,), ())


@only_full
def test_a_memory_is_in_the_clock_and_apart_in_the_area(known: cells.Cells, memory: synthesis.Design) -> None:
    found = cells.measure(memory, known)
    assert (found["kge"], found["memory_kge"]) == (0.0, 0.0), "some gates are no thousand"
    assert (found["path_from"], found["path_to"]) in {
        ("word_q", "bit_o"),
        ("word_q", "words[0]"),
        ("word_q", "words[1]"),
    }
    assert found["path_cells"] > 2, "what selects a bit of the memory is on the path"
    assert 300 < found["mhz"] < 1500
    logic, none = cells._map(known, memory)
    whole, path = cells._map(known, memory, "")
    assert (none is None, path is None) == (True, False)
    assert 2 * 20 < logic < 2 * 20 + 10 * 4, "two flip-flops, and what sums up"
    assert 2 * 20 + 3 * 4 < whole - logic < 2 * 20 + 25 * 4, "two more, and what writes one and reads one"


def test_a_library_that_does_not_do(known: cells.Cells, memory: synthesis.Design) -> None:
    text = known.path.read_text(encoding="utf-8")
    known.path.write_text(text.replace("clocked_on", "clocked_off"), encoding="utf-8")
    with pytest.raises(UserError, match=r"a library\.lib, memory: "):
        cells.measure(memory, cells.load(known.path))
