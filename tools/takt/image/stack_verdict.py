# SPDX-License-Identifier: Apache-2.0
"""What becomes of an image whose stacks are smaller than their bounds: it is refused, or its verdict says so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from takt.image.stack_bounds import Bound

SHOWN = 3  # stacks without a bound that a line names


def too_small(stacks: Iterable[Bound]) -> list[Bound]:
    return [one for one in stacks if one.fits is False]


def unknown(stacks: Iterable[Bound]) -> str:
    """One sentence on those without a bound; "": all have one."""
    found = [one for one in stacks if one.needs is None]
    if not found:
        return ""
    named = ", ".join(f"{one.name} ({one.reason})" for one in found[:SHOWN])
    more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f"No bound is known of the stack of {named}{more}."


def lines(stacks: Sequence[Bound]) -> list[str]:
    """What `takt build` says of them after all else: the last of it what was forced."""
    small = [f"Forced: {one.sentence()}: {one.calls()}." for one in too_small(stacks)]
    return [*filter(None, [unknown(stacks)]), *small]
