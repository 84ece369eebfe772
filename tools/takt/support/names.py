# SPDX-License-Identifier: Apache-2.0
"""Names of files and what else others call things, as people are shown them. Standard library only."""

from __future__ import annotations

import re

_HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def shown(text: str) -> str:
    """A name in one line: what is no UTF-8 in it, and what moves a terminal's cursor, as `\\xNN` or `\\uNNNN`."""
    return _HIDDEN.sub(lambda found: _escaped(found[0]), text)


def line_of(text: str) -> str:
    """What others wrote, in one line, which may have tabs."""
    return "\t".join(map(shown, text.split("\t")))


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file's name: surrogateescape
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
