# SPDX-License-Identifier: Apache-2.0
"""`takt bench network`: its networks are as said, and its keys. No time is tested."""

from __future__ import annotations

import json
import tomllib
from fractions import Fraction

import pytest
from command_line import Takt, documented, keys
from running import only_full
from takt.bench.studies import lockstep


@pytest.mark.parametrize("nodes", lockstep.NODES)
def test_networks_are_as_said(nodes: int) -> None:
    texts = lockstep.declared(nodes, "lean")
    assert [one["name"] for one in tomllib.loads(texts.pop(""))["node"]] == list(texts)
    sent: dict[int, float] = {}
    for name, text in texts.items():
        system = tomllib.loads(text)
        rates = {one["name"]: 1000 / Fraction(one["period"].removesuffix(" ms")) for one in system["task"]}
        assert (len(rates), sum(rates.values())) == (10, 1000)
        own = [one for one in system["message"] if "sender" in one]
        sent |= {one["id"]: rates[one["sender"]] for one in own}
        assert {one["from"] for one in system["message"] if "from" in one} <= set(texts) - {name}
    assert (len(sent), sum(sent.values())) == (lockstep.MESSAGES, 3750)


@only_full
def test_keys(takt: Takt) -> None:
    said = takt("bench", "network", "--nodes", "2", "--duration", "1", "--json")
    document = json.loads(said.out)
    assert (said.code, set(keys(document))) == (0, documented("bench network"))
    assert [(one["nodes"], one["kind"]) for one in document["lockstep"]] == [(2, kind) for kind in lockstep.KINDS]
    assert all(0 < one["times_real_time"] * 3750 <= document["frames_per_s"] * 1.01 for one in document["lockstep"])
