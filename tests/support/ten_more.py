# SPDX-License-Identifier: Apache-2.0
"""Ten no-operations more are ten instructions more: what does not say so, of runs without and with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from takt.bench import kernel
from takt.bench.kernel import Run


def not_ten_more(
    plain: Mapping[Run, dict[str, Any]], more: Mapping[Run, dict[str, Any]], clocked: Callable[[str], bool]
) -> list[str]:
    """`clocked`: rows whose mean may differ by half an instruction, for the clock may be a tick further."""
    wrong = []
    for before, after in zip(plain, more, strict=True):
        old, new = kernel.figures(plain[before]), kernel.figures(more[after])
        assert old.keys() == new.keys()
        grown = {name: new[name].mean - old[name].mean for name in old}
        wrong += [
            f"{before.kernel} {before.band} {name}: {difference}"
            for name, difference in grown.items()
            if abs(difference - 10) > (0.5 if clocked(name) else 1e-9)
        ]
    return wrong
