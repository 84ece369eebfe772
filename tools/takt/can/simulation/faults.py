# SPDX-License-Identifier: Apache-2.0
"""Faults that a simulation of a bus injects, as their options and `takt run --inject` name them: flips=RATE,
dead=NODE@TIME, babble=MESSAGE."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from takt.can import find
from takt.can.messages import Message
from takt.support import durations
from takt.support.errors import UserError, closest
from takt.support.names import shown

FLIPS_MAX = 0.1


def flips(label: str, text: str) -> float:
    """The probability that a bit is disturbed. UserError: it is none."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= FLIPS_MAX:
        raise UserError(f"{label}: {shown(text[:40])} is no rate of disturbances", f"0 to {FLIPS_MAX}, such as 1e-6")
    return value


def death(label: str, text: str, nodes: Collection[str]) -> tuple[str, int]:
    """A node and the time at which it goes off the bus. UserError: no node of that name sends."""
    name, at, when = text.rpartition("@")
    if not at:
        raise UserError(f'{label}: "{shown(text)}" has no time', "NODE@TIME, such as engine@1s")
    try:
        time_ns = durations.parse(when, positive=True)
    except UserError as error:
        raise UserError(f"{label}: {error.problem}", error.hint) from None
    return node(label, name, nodes), time_ns


def node(label: str, name: str, nodes: Collection[str]) -> str:
    """A node that sends. UserError: none has this name."""
    if name not in nodes:
        raise UserError(f'{label}: no node "{shown(name)}" sends', closest(name, nodes))
    return name


def babbler(label: str, text: str, messages: Sequence[Message]) -> Message:
    """The message that is sent without a pause. UserError: there is none of that name."""
    return find.message(messages, text, label)
