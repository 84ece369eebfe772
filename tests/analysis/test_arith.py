# SPDX-License-Identifier: Apache-2.0
"""base/arith.h against Python's integers."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
TOP = 2**64 - 1
EDGES = (0, 1, 2, 3, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**62, 2**63 - 1, 2**63, TOP - 1, TOP)


@pytest.fixture(scope="module")
def shim(tmp_path_factory: pytest.TempPathFactory, compile_c: Callable[..., Path]) -> ctypes.CDLL:
    output = tmp_path_factory.mktemp("arith") / "arith.so"
    library = ctypes.CDLL(str(compile_c(output, [HERE / "arith_shim.c"], "-O2", "-fPIC", "-shared")))
    number = ctypes.c_uint64
    for name in ("add", "subtract", "multiply", "divide_up"):
        getattr(library, f"shim_{name}").argtypes = [number, number]
    library.shim_count_until.argtypes = [number, number, number]
    library.shim_ratio_down.argtypes = [number, number, ctypes.POINTER(ctypes.c_bool)]
    for name in ("add", "subtract", "multiply", "divide_up", "count_until", "ratio_down"):
        getattr(library, f"shim_{name}").restype = number
    return library


def numbers(count: int) -> list[int]:
    """Edges, then numbers of every length from a fixed seed."""
    source = random.Random(1)
    return [*EDGES, *(source.getrandbits(source.randint(1, 64)) for _ in range(count))]


def test_sums_and_products_saturate(shim: ctypes.CDLL) -> None:
    for a, b in product(numbers(60), repeat=2):
        assert shim.shim_add(a, b) == min(a + b, TOP), (a, b)
        assert shim.shim_subtract(a, b) == max(a - b, 0), (a, b)
        assert shim.shim_multiply(a, b) == min(a * b, TOP), (a, b)


def test_divide_up(shim: ctypes.CDLL) -> None:
    for a, b in product(numbers(60), repeat=2):
        if b > 0:
            assert shim.shim_divide_up(a, b) == -(-a // b), (a, b)


def test_count_until(shim: ctypes.CDLL) -> None:
    for time, first, period in product(numbers(12), repeat=3):
        if period > 0 and (time - first) // period + 1 <= TOP:
            expected = max(0, (time - first) // period + 1)
            assert shim.shim_count_until(time, first, period) == expected, (time, first, period)


def test_ratio_down(shim: ctypes.CDLL) -> None:
    for a, b in product(numbers(60), repeat=2):
        if 0 < b < 2**63:
            exact = ctypes.c_bool(True)
            ratio = shim.shim_ratio_down(a, b, exact)
            if a // b >= 2**32:
                assert ratio == TOP, (a, b)
                continue
            assert ratio == (a << 32) // b, (a, b)
            assert exact.value == (Fraction(ratio, 2**32) == Fraction(a, b)), (a, b)
            assert shim.shim_ratio_down(a, b, None) == ratio
            untouched = ctypes.c_bool(False)
            shim.shim_ratio_down(1, 1, untouched)
            assert not untouched.value


def test_nothing_undefined(tmp_path: Path, compile_c: Callable[..., Path], sanitizers: tuple[str, ...]) -> None:
    """The header compiles under the sanitizers without a warning."""
    compile_c(tmp_path / "arith.o", [HERE / "arith_shim.c"], "-c", *sanitizers)
