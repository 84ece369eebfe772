# SPDX-License-Identifier: Apache-2.0
"""A message that a command line names."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from takt.can.messages import Message
from takt.support.errors import UserError, one_of
from takt.support.names import shown

NEAR = 3  # names that a message suggests
STANDARD_DIGITS = 3  # hexadecimal ones of an identifier of 11 bits; more are of 29


def message(messages: Sequence[Message], text: str, option: str) -> Message:
    """By its name, or its identifier as tools of CAN show it (0x4B0, 0x000004B0). UserError: there is none, or several
    have this name."""
    found = [one for one in messages if one.name == text] or _by_identifier(messages, text)
    if len(found) == 1:
        return found[0]
    if found:
        raise UserError(f'{option}: {len(found)} messages are "{shown(text)}"', one_of(one.id_text for one in found))
    near = difflib.get_close_matches(text.lower(), {one.name.lower(): one for one in messages}, n=NEAR, cutoff=0.5)
    names = [one.name for name in near for one in messages if one.name.lower() == name][:NEAR]
    hint = one_of(f'"{shown(name)}"' for name in names) or "a message that `takt can check --all` lists"
    raise UserError(f'{option}: no message is "{shown(text)}"', hint)


def _by_identifier(messages: Sequence[Message], text: str) -> list[Message]:
    digits = re.fullmatch(r"0[xX]([0-9a-fA-F]{1,8})", text)
    if digits is None:
        return []
    found = [one for one in messages if one.identifier == int(digits[1], 16)]
    exact = [one for one in found if one.extended == (len(digits[1]) > STANDARD_DIGITS)]
    return exact or found
