# SPDX-License-Identifier: Apache-2.0
"""Identifiers in a SYM file: one for a symbol, ID=123h. A symbol with a range of them is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from takt.can.rewrite.mention import Mention

_STRING = r'"(?:\\"|[^"])*"'
_TOKEN = re.compile(
    rf"(?P<skip>//[^\n]*|{_STRING}|/u:(?:{_STRING}|\S+))|\{{(?P<section>\w+)\}}|(?P<symbol>\[)"
    r"|(?<!\S)ID\s*=\s*(?P<id>[0-9][0-9A-Fa-f]*)h(?P<range>-?[0-9A-Fa-f])?"
    r"|(?<!\S)Type\s*=\s*(?P<type>\w+)"
)
_SECTIONS = ("SEND", "RECEIVE", "SENDRECEIVE")
_LONG = 8  # digits of an identifier of 29 bits, whatever the type says


def mentions(_path: Path, text: str) -> Iterator[Mention]:
    """In the order of the file."""
    inside, token, extended = False, None, False
    for found in _TOKEN.finditer(text):
        if found["section"] or found["symbol"]:
            yield from _symbol(token, extended)
            inside = found["section"] in _SECTIONS if found["section"] else inside
            token, extended = None, False
        elif found["id"] and inside:
            token = found
        elif found["type"] and inside:
            extended = found["type"].lower() in ("extended", "fdextended")
    yield from _symbol(token, extended)


def _symbol(token: re.Match[str] | None, extended: bool) -> Iterator[Mention]:
    if token is not None and not token["range"]:
        number = int(token["id"], 16)
        yield Mention(*token.span("id"), (number, extended or len(token["id"]) == _LONG), hexadecimal=True)
