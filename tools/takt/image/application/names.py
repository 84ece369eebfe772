# SPDX-License-Identifier: Apache-2.0
"""Names of C++ for people."""

from __future__ import annotations

from takt.support import children


def demangled(text: str) -> str:
    """A text in which symbols of C++ are names as its source has them."""
    return children.run(["c++filt"], given=text).stdout if "_Z" in text else text


def demangled_type(text: str) -> str:
    """The name of a type, as std::type_info has it, as its source has it."""
    return children.run(["c++filt", "--types"], given=text).stdout.strip() or text
