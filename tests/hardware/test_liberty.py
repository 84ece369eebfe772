# SPDX-License-Identifier: Apache-2.0
"""Reading a library of cells."""

from __future__ import annotations

from pathlib import Path

import pytest
import small_library
from small_library import FLIP_FLOP, NAND
from takt.hardware import cells, liberty
from takt.hardware.liberty import Table, parse
from takt.support.errors import UserError


def test_what_is_read() -> None:
    known = parse(small_library.library())
    assert (known.name, known.picoseconds, known.femtofarads) == ("small", 1000, 1)
    assert known.flip_flops() == ["FF", "FF_RESET"]
    nand = known.cell("NAND")
    assert (nand.area, nand.input_load, nand.flip_flop) == (4, 2, False)
    (first, second) = nand.pins["Y"].arcs
    assert (first.related, second.related, first.kind, first.sense) == ("A", "B", "combinational", "negative_unate")
    assert known.cell("FF").pins["D"].arcs[0].kind == "setup_rising"
    both = small_library.gate("G", 1, "!A", "A", 0, "negative_unate").replace(
        'related_pin : "A"', 'related_pin : "A B"'
    )
    assert [arc.related for arc in parse(small_library.library(both)).cell("G").pins["Y"].arcs] == ["A", "B"]


@pytest.mark.parametrize("more", ['/* 5" */', '// 5"\n', 'date : "http://x /*";', 'comment : "\u00e4";'])
def test_quotes_in_comments_and_slashes_in_strings(more: str) -> None:
    assert parse(small_library.library(more=more)).flip_flops() == ["FF", "FF_RESET"]


def test_units_are_named() -> None:
    text = small_library.library().replace('"1ns"', '"10ps"').replace("(1, ff)", "(0.1, pf)")
    assert (parse(text).picoseconds, parse(text).femtofarads) == (10, 100)


def test_tables_are_the_same_either_way_round() -> None:
    """cell_fall has the load first."""
    tables = parse(small_library.library()).cell("NAND").pins["Y"].arcs[0].tables
    for name in ("cell_rise", "cell_fall"):
        assert tables[name].at(0.5, 20) == pytest.approx(0.3)
    assert tables["rise_transition"].at(0.5, 20) == 0.1


def test_between_and_beyond_points() -> None:
    table = Table((1.0, 2.0, 4.0), (0.0, 10.0), ((1.0, 2.0), (3.0, 4.0), (7.0, 8.0)))
    assert table.at(2.0, 0.0) == 3
    assert table.at(3.0, 5.0) == 5.5
    assert table.at(5.0, 20.0) == 11
    assert table.at(0.0, -1.0) == 1, "in front of the first point it is that of the first"


@pytest.mark.parametrize(
    ("function", "values"),
    [
        ("!(A B)", "1110"),
        ("A' + B'", "1110"),
        ("(A*B)'", "1110"),
        ("!A | !B", "1110"),
        ("B ^ A", "0110"),
        ("!A & B", "0100"),
        ("A + !A B", "0111"),
        ("B", "0101"),
        ("1", "1111"),
    ],
)
def test_functions(function: str, values: str) -> None:
    text = small_library.library(small_library.gate("G", 1, function, "A B", 0, "non_unate"))
    assert "".join(f"{value:d}" for value in parse(text).cell("G").truth()) == values


def test_a_gate_is_the_smallest_nand() -> None:
    known = parse(small_library.library())
    found = known.smallest((True, True, True, False))
    assert found is not None
    assert found.name == "NAND"
    assert known.smallest((False, True, True, False)) is None


WRONG = {
    "no text of this kind": ("this is a note", "line 1: neither a group nor an attribute of one"),
    "nothing": ("", "it has no group library"),
    "no library": ("cell (x) { }", "it has no group library"),
    "two": ("library (x) { }\nlibrary (y) { }", "it has several libraries"),
    "it ends too early": ("library (x) {\n cell (y) {", "line 2: it ends too early"),
    "one } is missing": ("library (x) {\n cell (y) { }\n\n", "line 2: it ends too early"),
    "one } is too many": ("library (x) { } }\ncell (y) { }", "it has one } too many"),
    "it ends in a string": ('library (x) {\n date : "', "line 2: a string without its closing quote"),
    "it ends in a comment": ("library (x) {\n /* }", "line 2: it ends too early"),
    "it ends in an expression": ("library (x) {\n a : 2 *", "line 2: neither a group nor an attribute of one"),
    "a ) is missing": ("library (x) {\n a (1 };\n}", "line 2: Unexpected '}'."),
    "of another alphabet": ("\u00e4", "line 1: Unexpected token: ?"),
    "a ; is missing": ("library (x) {\n a : 1 b : 2; }", "line 2: neither a group nor an attribute of one"),
    "too deep for its parser": ("a () {" * 100000, "the parser fails: exit code -11"),
    "too deep for Python": ("a () {" * 2000 + "}" * 2000, "the parser fails: RecursionError: "),
    "an unknown unit": (small_library.library().replace("1ns", "1 day"), "a unit of 1 day"),
    "no gate": (small_library.library(FLIP_FLOP), "it has no NAND of two inputs, the unit in which gates are counted"),
    "no buffer": (small_library.library(NAND, FLIP_FLOP), "it has neither a buffer nor an inverter"),
    "no flip-flop": (small_library.library(*small_library.CELLS[:5]), "it has no flip-flop"),
    "an area that is none": (small_library.library().replace("area : 4", "area : big"), "cell BUFFER: could not"),
    "a strange function": (small_library.library().replace("(A B)'", "A $ B"), "cell NAND: a function with $"),
    "a strange input": (small_library.library().replace("(A B)'", "A S"), "cell NAND: a function with S"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_bad_library_is_refused(name: str, tmp_path: Path) -> None:
    text, says = WRONG[name]
    path = tmp_path / "bad.lib"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as error:
        cells.load(path)
    assert str(error.value).startswith(f"{path}: ")
    assert says in str(error.value)
    assert error.value.hint


def test_a_parser_that_comes_to_no_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(liberty, "LIMIT_S", 0.001)
    with pytest.raises(ValueError, match="did not finish"):
        parse(small_library.library())


def test_a_table_that_does_not_fit() -> None:
    known = parse(small_library.library().replace('values ("0.1, 1.1"', 'values ("0.1"', 1))
    with pytest.raises(ValueError, match="a table cell_rise of 3 values for 2 by 2"):
        [known.cell(name) for name in ("INV", "BUFFER", "NAND")]
