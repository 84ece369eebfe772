# SPDX-License-Identifier: Apache-2.0
"""Names for C of what a file calls anything."""

from __future__ import annotations

import re
from collections.abc import Iterable

_KEYWORDS = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const consteval constexpr
    constinit const_cast continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum
    explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires restrict return short signed
    sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid
    typeof typeof_unqual typename union unsigned using virtual void volatile wchar_t while xor xor_eq
    linux unix errno stdin stdout stderr
    """.split()
)
_EDGE = re.compile(r"([a-z0-9])([A-Z])")
_OTHER = re.compile(r"[^a-z0-9]+")


def lower(name: str) -> str:
    """`BrakeTorque`, `Brake-Torque` and `brake_torque` become `brake_torque`. What C cannot call so gets `x_` before
    it, or `_` behind it."""
    plain = _OTHER.sub("_", _EDGE.sub(r"\1_\2", name).lower()).strip("_") or "x"
    plain = f"x_{plain}" if plain[0].isdigit() else plain
    return f"{plain}_" if plain in _KEYWORDS else plain


def is_keyword(name: str) -> bool:
    """Of C, C++ or their libraries."""
    return name in _KEYWORDS


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Each with `_2`, `_3` ... behind it where another before it is called the same."""
    seen = set(taken)
    found: list[str] = []
    for name in names:
        one, number = name, 2
        while one in seen:
            one, number = f"{name}_{number}", number + 1
        seen.add(one)
        found.append(one)
    return found
