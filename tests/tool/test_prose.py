# SPDX-License-Identifier: Apache-2.0
"""Prose is filled, and nothing else is touched."""

from __future__ import annotations

import random
from itertools import pairwise

from takt.support.tables import WIDTH, wrapped

LONG = "w" * 50
KEPT = f"""# {LONG} {LONG} {LONG}

<!-- {LONG} {LONG} {LONG} -->
| {LONG} | {LONG} | {LONG} |

```
{LONG} {LONG} {LONG}
```

    {LONG} {LONG} {LONG}

![{LONG} {LONG}]({LONG}.svg)

@part {LONG} {LONG} {LONG}@

{LONG}{LONG}{LONG}

short  as it is
"""


def test_what_is_no_prose_stays() -> None:
    assert wrapped(KEPT) == KEPT


def test_items_of_a_list_keep_their_indentation() -> None:
    text = f"- {LONG} {LONG} {LONG}\n  tail\n- next\n\n  1. {LONG} {LONG} {LONG}\n\n{LONG} {LONG} {LONG}\nand\n"
    wanted = f"- {LONG} {LONG}\n  {LONG} tail\n- next\n\n  1. {LONG} {LONG}\n     {LONG}\n\n{LONG} {LONG}\n{LONG} and\n"
    assert wrapped(text) == wanted


def test_no_line_begins_with_what_would_be_a_mark() -> None:
    for mark in ("-", "+", "*", "1.", "#", ">", "|"):
        text = f"{'w' * 60} {'v' * 58} {mark} 3 {LONG}"
        assert wrapped(text) == f"{'w' * 60}\n{'v' * 58} {mark} 3 {LONG}"


def test_only_white_space_changes_and_once_is_enough() -> None:
    chance = random.Random(1)
    for _ in range(300):
        words = ["x" * chance.randint(1, 30) for _ in range(chance.randint(1, 80))]
        once = wrapped(" ".join(words))
        assert once.split() == words
        assert wrapped(once) == once
        lines = once.split("\n")
        assert all(len(line) <= WIDTH for line in lines)
        assert all(len(line) + 1 + len(after.split()[0]) > WIDTH for line, after in pairwise(lines))
