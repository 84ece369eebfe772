# SPDX-License-Identifier: Apache-2.0
"""A header of the C++ library on a board: its package is installed when a compiler first misses it, and not before."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from takt.declare.schema import boards
from takt.declare.schema.model import System
from takt.image.application import headers
from takt.support import provision
from takt.support.compile import HeaderError, Said
from takt.support.names import CXX_HEADERS


class Compiler:
    """It misses a header until that is there. `installed`: groups of packages, as they are asked for."""

    def __init__(
        self, header: str, monkeypatch: pytest.MonkeyPatch, *, there: bool = False, right: bool = True
    ) -> None:
        self.runs, self.there, self.right, self.header = 0, there, right, header
        self.installed: list[str] = []
        monkeypatch.setattr(provision, "require", self.require)
        monkeypatch.setattr(provision.Package, "present", lambda package: self.there)

    def require(self, *groups: str) -> None:
        self.installed += groups
        self.there = True

    def __call__(self) -> None:
        self.runs += 1
        if not (self.there and self.right):
            raise Said((), (f"/b/app.cpp:3:10: fatal error: {self.header}: No such file or directory",)).error(
                "building"
            )


def provide(name: str, board: str, compiler: Compiler) -> None:
    system = cast(System, SimpleNamespace(sources=(Path(name),)))
    headers.provided(system, boards.load(board), compiler)


@pytest.mark.parametrize("board", ["mps2-an385", "rv32-virt", "ibex-soc"])
def test_it_is_installed_when_a_file_needs_it(
    board: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    compiler = Compiler("cstdint", monkeypatch)
    provide("app.cpp", board, compiler)
    assert (compiler.runs, compiler.installed) == (2, ["cxx_headers"])
    said = f"/b/app.cpp:3: <cstdint> on {board} is in package libstdc++-arm-none-eabi-dev"
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("header", "name", "board", "there", "hint"),
    [
        ("cstdint", "app.c", "rv32-virt", False, "a header of C in its place: <cstdint> is"),
        ("cstdint", "app.cpp", "host", False, "a header of C in its place"),
        ("format", "app.cpp", "rv32-virt", True, "a header of C in its place: <format>"),
        ("own.hpp", "app.cpp", "rv32-virt", False, 'include = ["FOLDER"] in [build]'),
        ("vectors", "app.cpp", "rv32-virt", False, 'a header of the C++ library: "vector"'),
    ],
)
def test_nothing_is_installed_for_what_is_in_no_package(
    header: str,
    name: str,
    board: str,
    there: bool,
    hint: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiler = Compiler(header, monkeypatch, there=there, right=False)
    with pytest.raises(HeaderError) as caught:
        provide(name, board, compiler)
    assert (compiler.runs, compiler.installed) == (1, [])
    assert caught.value.hint.startswith(hint)


def test_the_package_has_the_headers_that_are_named() -> None:
    folder = next(iter(provision.packages([headers.GROUP]))).probe
    there = {path.name for path in Path(folder).parent.iterdir() if path.is_file() and not path.suffix}
    assert there - CXX_HEADERS == set()


def test_only_the_tests_ask_for_it_before_it_is_needed() -> None:
    asking: Iterable[str] = ("check", "build", "run", "report", "measure", "generate", "bench")
    assert all(headers.GROUP not in provision.groups_of(command) for command in asking)
