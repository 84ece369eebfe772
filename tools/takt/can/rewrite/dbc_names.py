# SPDX-License-Identifier: Apache-2.0
"""Identifiers in a DBC file: in the statements of messages, signals, comments, attributes, values, groups ..."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from takt.can.files import dbc
from takt.can.messages import fail
from takt.can.rewrite.mention import Mention

_STRING = re.compile(dbc.TEXT)
_NUMBERED = (
    "BO_ BO_TX_BU_ VAL_ SG_MUL_VAL_ SIG_GROUP_ SIG_VALTYPE_ SIG_TYPE_REF_".split()
)  # the identifier, or of VAL_ a name, is their first word
_NAMED = {
    **{word: re.compile(rf"{word}\s+(\d+)") for word in _NUMBERED},
    "CM_": re.compile(r"CM_\s+(?:BO_|SG_)\s+(\d+)"),
    "CAT_": re.compile(r"CAT_\s+(?:BO_|SG_)\s+(\d+)"),
    "BA_": re.compile(rf"BA_\s+{dbc.TEXT}\s+(?:BO_|SG_)\s+(\d+)"),
    "BA_REL_": re.compile(rf"BA_REL_\s+{dbc.TEXT}\s+(?:BU_BO_REL_\s+\w+|BU_SG_REL_\s+\w+\s+SG_)\s+(\d+)"),
}
_NAMELESS = frozenset(
    "VERSION NS_ NS_DESC_ BS_ BU_ SG_ BA_DEF_ BA_DEF_DEF_ BA_DEF_REL_ BA_DEF_DEF_REL_ VAL_TABLE_ EV_ EV_DATA_"
    " ENVVAR_DATA_ SGTYPE_ SGTYPE_VAL_ BA_DEF_SGTYPE_ BA_SGTYPE_ SIGTYPE_VALTYPE_ CAT_DEF_".split()
)
_OBJECT = re.compile(r"\b(?:BO_|SG_|BU_BO_REL_|BU_SG_REL_)")


def mentions(path: Path, text: str) -> Iterator[Mention]:
    """In the order of the file. UserError: a statement may name a message in a way that is not known here."""
    for line, word, match in dbc.statements(path, text):
        if word in _NAMELESS:
            continue
        found = _NAMED[word].match(match[0]) if word in _NAMED else None
        if found is not None:
            number, start = int(found[1]), match.start() + found.start(1)
            flag = number & dbc.EXTENDED
            yield Mention(start, start + len(found[1]), (number - flag, flag > 0), flag)
        elif word not in _NAMED or _OBJECT.search(_STRING.sub("", match[0][len(word) :])):
            problem = f"this {word} statement may name a message in a way that takt does not know"
            fail(path, line, problem, "remove it, or assign identifiers in a CSV file (docs/can.md)")
