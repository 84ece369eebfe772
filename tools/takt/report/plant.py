# SPDX-License-Identifier: Apache-2.0
"""Plots from what a plant reports: any plant, by the names of its keys.

`trajectory` is a list of samples, tables of numbers with the time `t` in s. `north` and `east` (m) make a map;
`commanded_X` is drawn with X; keys that share their first word (`wind_...`) share a plot. `windows` is a list of
{"name", "from_s", "to_s"}: spans that every plot shades. Numbers beside these are figures.
"""

from __future__ import annotations

import math
from typing import Any

SAMPLES_MAX = 2500
_UNITS = {"m_s": "m/s", "m": "m", "deg": "\N{DEGREE SIGN}", "s": "s", "ns": "ns", "us": "us", "ms": "ms"}
_QUANTITIES = {
    "altitude": "m",
    "heading": "\N{DEGREE SIGN}",
    "roll": "\N{DEGREE SIGN}",
    "pitch": "\N{DEGREE SIGN}",
    "speed": "m/s",
    "wind": "m/s",
    "rotor": "of full",
}
_TOGETHER = {"roll": "attitude", "pitch": "attitude"}
_ANGLES = ("heading", "yaw")


def plots(report: dict[str, Any]) -> dict[str, Any]:
    """What the page draws: {"map": ..., "times": [...], "windows": [...]}; empty lists when there are no samples."""
    samples = [sample for sample in report.get("trajectory", []) if isinstance(sample, dict) and "t" in sample]
    step = -(-len(samples) // SAMPLES_MAX) if samples else 1
    samples = samples[::step]
    windows = [window for window in report.get("windows", []) if isinstance(window, dict)]
    return {"map": _map(samples), "times": _times(samples), "windows": windows}


def figures(report: dict[str, Any]) -> list[tuple[str, str]]:
    """Numbers of the report as (name, value with its unit)."""
    found = []
    for name, value in report.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            continue
        plain, unit = _split_unit(name)
        found.append((plain.replace("_", " "), f"{value:g} {unit}".strip()))
    return found


def _split_unit(name: str) -> tuple[str, str]:
    """("climb", "m") of climb_m; a trailing _max or _min stays with the name."""
    base, extreme = name, ""
    for word in ("_max", "_min"):
        if name.endswith(word):
            base, extreme = name.removesuffix(word), word
    for suffix, unit in _UNITS.items():
        if base.endswith(f"_{suffix}"):
            return base.removesuffix(f"_{suffix}") + extreme, unit
    return name, ""


def _map(samples: list[dict[str, float]]) -> dict[str, Any] | None:
    if len(samples) < 2 or not all("north" in sample and "east" in sample for sample in samples):
        return None
    return {
        "t": [sample["t"] for sample in samples],
        "x": [sample["east"] for sample in samples],
        "y": [sample["north"] for sample in samples],
    }


def _times(samples: list[dict[str, float]]) -> list[dict[str, Any]]:
    if len(samples) < 2:
        return []
    keys = [key for key in samples[0] if key not in ("t", "north", "east")]
    groups: dict[str, list[str]] = {}
    for key in keys:
        bare = key.removeprefix("commanded_")
        group = bare if f"commanded_{bare}" in keys else _TOGETHER.get(bare, bare.split("_")[0])
        groups.setdefault(group, []).append(key)
    return [_plot(name, members, samples) for name, members in groups.items()]


def _plot(name: str, keys: list[str], samples: list[dict[str, float]]) -> dict[str, Any]:
    unit = next((unit for word, unit in _QUANTITIES.items() if keys[0].removeprefix("commanded_").startswith(word)), "")
    keys = sorted(keys, key=lambda key: key.startswith("commanded_"))
    return {
        "title": name,
        "unit": unit,
        "t": [sample["t"] for sample in samples],
        "series": [
            {
                "name": key.removeprefix(f"{name}_").replace("_", " "),
                "commanded": key.startswith("commanded_"),
                "y": _values(key, samples),
            }
            for key in keys
        ],
    }


def _values(key: str, samples: list[dict[str, float]]) -> list[float]:
    values = [float(sample.get(key, math.nan)) for sample in samples]
    if key.removeprefix("commanded_") in _ANGLES:
        return _unwrapped(values)
    return values


def _unwrapped(degrees: list[float]) -> list[float]:
    """Without jumps at north; starts in 0 to 360."""
    out: list[float] = []
    for value in degrees:
        out.append(value if not out else out[-1] + math.remainder(value - out[-1], 360))
    return out
