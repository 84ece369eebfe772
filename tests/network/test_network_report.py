# SPDX-License-Identifier: Apache-2.0
"""`takt report` of a network: what the page shows, read back from its pictures."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt
from running import APPS

RECT = re.compile(
    r"<rect x='([\d.]+)' y='([\d.]+)' width='([\d.]+)' height='[\d.]+' opacity='([\d.]+)' [^>]*><title>([^<]*)"
)
LINE = re.compile(r"<line x1='([\d.]+)' x2='([\d.]+)' y1='([\d.]+)' y2='([\d.]+)' stroke-width='(\d+)")


def ours(tmp_path: Path) -> Path:
    return Path(shutil.copytree(APPS / "rosace", tmp_path / "rosace"))


def proved(takt: Takt, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(takt("check", folder, "--json").out)
    return found


def page_of(takt: Takt, folder: Path, *options: str) -> tuple[int, str]:
    code = takt("report", folder, "--output", folder / "page.html", *options).code
    return code, (folder / "page.html").read_text()


def test_chains_are_drawn_with_what_they_pass_through(takt: Takt, tmp_path: Path) -> None:
    folder = ours(tmp_path)
    for node in ("aircraft", "filters", "control"):  # nothing known of offsets: the bound is the sum
        path = folder / node / "system.toml"
        path.write_text(path.read_text().replace("offsets = true", "offsets = false"))
    path = folder / "system.toml"
    path.write_text(path.read_text().replace('"50 ms"', '"100 ms"').replace('"45 ms"', '"95 ms"'))
    code, text = page_of(takt, folder)
    assert code == 0
    assert "Proved: all deadlines of 3 nodes hold" in text
    for chain in proved(takt, folder)["chains"]:
        picture = text.split(f"<h3>Chain {chain['name']}: ")[1].split("</svg>")[0]
        rects = [
            (float(x), float(y), float(width), opacity, said) for x, y, width, opacity, said in RECT.findall(picture)
        ]
        scale = 680 / 100e6  # the limit is the longest
        steps = chain["steps"]
        assert len(rects) == 2 * len(steps)
        assert [said.split(":")[0] for *_, said in rects[::2]] == [", ".join(one["names"]) for one in steps]
        for one, wait, busy in zip(steps, rects[::2], rects[1::2], strict=True):
            took = 0 if one["ahead"] else one["response_ns"]
            assert (wait[3], busy[3]) == ("0.3", "1")
            assert wait[2] == pytest.approx(one["period_ns"] * scale - 1, abs=0.1)
            assert busy[2] == pytest.approx(max(0, took * scale - 1), abs=0.1)
        ends = [150.0, *(x + width for x, _, width, _, _ in rects if width)]  # one after another
        begins = [x for x, _, width, _, _ in rects if width]
        assert begins == [pytest.approx(end + 1, abs=0.2) for end in ends[:-1]]
        lanes = dict.fromkeys(one["node"] for one in steps)
        tops = {
            node: {wait[1] for one, wait in zip(steps, rects[::2], strict=True) if one["node"] == node}
            for node in lanes
        }
        assert all(len(one) == 1 for one in tops.values())
        assert len(set.union(*tops.values())) == len(lanes)
        marks = [float(x) for x, _, _, _, width in LINE.findall(picture) if width == "2"]
        assert marks == [pytest.approx(150 + ns * scale, abs=0.1) for ns in (chain["reaction_ns"], 100e6)]


def test_nodes_and_buses(takt: Takt, tmp_path: Path) -> None:
    folder = ours(tmp_path)
    code, text = page_of(takt, folder)
    assert code == 0
    picture = text.split("<h2>Nodes and buses</h2>")[1].split("</svg>")[0]
    bus = proved(takt, folder)["buses"][0]
    assert f"500 kbit/s, load {bus['load']:.1%}" in picture
    assert picture.count("<circle") == 3
    for node in ("aircraft", "filters", "control"):
        assert f">{node} (host)</text>" in picture
    path = folder / "control" / "system.toml"  # one that hears nothing, and says nothing
    path.write_text(re.sub(r"\[\[can\]\].*?(?=\[\[state\]\])", "", path.read_text(), flags=re.S))
    path = folder / "aircraft" / "system.toml"
    path.write_text(re.sub(r"\[\[message\]\] # elevator.*?(?=\[\[state\]\])", "", path.read_text(), flags=re.S))
    path = folder / "system.toml"
    path.write_text(path.read_text().split("[[chain]]")[0])
    code, text = page_of(takt, folder)
    assert text.split("<h2>Nodes and buses</h2>")[1].split("</svg>")[0].count("<circle") == 2
    assert "<h2>Chains</h2>" not in text


def test_what_is_refuted_is_on_it(takt: Takt, tmp_path: Path) -> None:
    folder = ours(tmp_path)
    path = folder / "system.toml"
    path.write_text(path.read_text().replace('reaction = "50 ms"', 'reaction = "40 ms"', 1))
    code, text = page_of(takt, folder)
    assert code == 1
    assert "Refuted: chain pitch has reaction of up to 45667.4 us &gt; 40 ms" in text
    assert "the proof knows the offsets" in text
    said = takt("report", folder, "--board", "host")
    assert (said.code, "--board: each system of a network has its own" in said.err) == (2, True)
