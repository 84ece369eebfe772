# SPDX-License-Identifier: Apache-2.0
"""`takt reflect admit --dry-run`: verdicts, what is said of a refusal, JSON; and what reaches the library."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import Takt, documented, keys
from takt.declare.channels import Plant
from takt.declare.schema import machines
from takt.declare.schema.kinds import RATE
from takt.reflect import admit, admit_library
from takt.reflect.admit_library import Result
from takt.support.errors import UserError
from takt.support.provision import ROOT

PLANT = ROOT / "apps" / "plant"
NODE = 'rate = "8 Gbit/s"\nsend = "0 ns"\nreceive = "0 ns"\nwake = "0 ns"\nblock = 854\n'  # a block is a microsecond
HEAD = "".join(f'[[node]]\nname = "{name}"\n{NODE}' for name in ("a", "b", "c"))


def channel(name: str, kind: str, size: int, period_us: int | str, deadline_us: int = 0, more: str = "") -> str:
    deadline = f'deadline = "{deadline_us} us"\n' if deadline_us else ""
    ends = 'writer = "a"\nreader = "b"\n' if "writer" not in more else ""
    text = f'[[channel]]\nname = "{name}"\nkind = "{kind}"\nsize = {size}\nperiod = "{period_us} us"\n'
    return f"{text}{ends}{deadline}{more}\n"


def write(folder: Path, *channels: str, head: str = HEAD) -> Path:
    path = folder / "system.toml"
    path.write_text(head + "".join(channels), encoding="utf-8")
    return path


TREND = channel("trend", "trend", 2 * 854 + 354, 20, 20)
COMMAND = channel("command", "command", 854, 10, 9)
LOG = channel("log", "background", 654, 40)


@pytest.fixture
def only_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Links carry no subscriptions and answers."""
    monkeypatch.setattr(admit_library, "CONTROL_NS", 0)


@pytest.mark.usefixtures("only_values")
def test_by_hand(takt: Takt, tmp_path: Path) -> None:
    """The sums of reflect/core/test/admit/admit_test.c."""
    said = takt("reflect", "admit", "--dry-run", write(tmp_path, TREND, COMMAND, LOG), "--json")
    document = json.loads(said.out)
    trend, command, log = document["channels"]
    assert (said.code, document["verdict"]) == (0, "admitted")
    assert [row["level"] for row in (command, trend, log)] == [0, 1, 2]
    assert [row["band"] for row in (command, trend, log)] == ["highest", "high", "mid"]
    names = ("response", "promotion", "push", "network", "receive", "bound")
    assert [command[f"{name}_ns"] for name in names] == [2000, 5000, 7000, 0, 2000, 9000]
    assert [trend[f"{name}_ns"] for name in names] == [4300, 13700, 18000, 0, 2000, 20000]
    assert [log[f"{name}_ns"] for name in names] == [None] * 6
    assert (command["refusal"], command["pause_ns"]) == (None, None)


REFUSALS = {
    "deadline": (
        [channel("command", "command", 854, 10, 1, 'read_wcet = "100 ns"')],
        "command: at the stage receive: write, push, network, receive and read may take 2100 ns, more than its"
        " deadline, 1000 ns",
    ),
    "overlap": (
        [channel("command", "command", 854, "1.9", 9), channel("log", "background", 1208, 40)],
        "command: at the stage push: write and push may take 2000 ns, more than its period, 1900 ns",
    ),
    "load of a link": (
        [channel("command", "command", 854, 4, 9), channel("trend", "trend", 854 * 4, 5, 50)],
        "trend: at the stage push: it and the levels above need 1050000001 ns of the link of a in 1000000000 ns",
    ),
    "load of a port": (
        [
            channel("trend", "trend", 854 * 3, 5, 50),
            channel("other", "trend", 854 * 3, 5, 50, 'writer = "c"\nreader = "b"'),
        ],
        "other: at the stage receive: 1200000001 ns of port and server of b are needed in 1000000000 ns",
    ),
}


@pytest.mark.usefixtures("only_values")
@pytest.mark.parametrize("case", REFUSALS)
def test_refused(takt: Takt, tmp_path: Path, case: str) -> None:
    channels, message = REFUSALS[case]
    said = takt("reflect", "admit", "--dry-run", write(tmp_path, *channels))
    assert said.code == 1
    assert message in said.out.splitlines()
    assert said.out.splitlines()[-1] == "Refused: not every channel is proved to keep its deadline."


def test_undecided(takt: Takt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admit_library, "ITERATIONS", 0)
    said = takt("reflect", "admit", "--dry-run", PLANT)
    assert said.code == 1
    assert "alarms: at the stage push: no bound was found" in said.out.splitlines()
    assert said.out.splitlines()[-1] == "Undecided: for at least one channel no bound was found."


def test_the_plant_of_the_docs(takt: Takt) -> None:
    """It has all five kinds, and a group."""
    said = takt("reflect", "admit", "--dry-run", PLANT)
    assert said.code == 0
    assert "video_north: started 40 ms after another of view has stopped" in said.out.splitlines()
    assert said.out.splitlines()[-1] == "Admitted: every channel keeps its deadline."
    assert {found.kind for found in admit.load(str(PLANT)).channels} == set(machines.KINDS)


def test_json_keys_are_those_of_the_docs(takt: Takt, tmp_path: Path) -> None:
    fine = takt("reflect", "admit", "--dry-run", PLANT, "--json")
    bad = takt("reflect", "admit", "--dry-run", write(tmp_path, *REFUSALS["deadline"][0]), "--json")
    assert (fine.code, bad.code) == (0, 1)
    documents = json.loads(fine.out), json.loads(bad.out)
    assert {name for document in documents for name in keys(document)} == documented("reflect admit")
    failed = documents[1]["channels"][0]
    assert (failed["admitted"], failed["bound_ns"]) == (False, None)
    assert failed["refusal"]["inequality"] == "deadline"
    control = 2 * 2 * 146  # on the link and in the port: two packets without a value
    assert (failed["refusal"]["left_ns"], failed["refusal"]["right_ns"]) == (2100 + control, 1000)


def test_misuse(takt: Takt, tmp_path: Path) -> None:
    assert takt("reflect", "admit", PLANT).code == 2
    said = takt("reflect", "admit", "--dry-run", write(tmp_path))
    assert (said.code, "no [[channel]]" in said.err) == (2, True)
    slow = HEAD.replace('wake = "0 ns"', 'wake = "0 ns"\nreceive_message = "1152921504606846976 ns"')
    said = takt("reflect", "admit", "--dry-run", write(tmp_path, TREND, head=slow))
    assert (said.code, "more than 36 years" in said.err) == (2, True)


def test_what_the_kind_means(tmp_path: Path) -> None:
    """Table 1 of seed 002; what is declared besides wins."""
    found = {}
    for kind in machines.KINDS:
        text = channel("x", kind, 10, 1000, 0 if kind == "background" else 1000)
        found[kind] = admit.load(str(write(tmp_path, text))).channels[0]
    ways = {kind: (one.synchronous, one.blocking, one.applications) for kind, one in found.items()}
    tied, apart = (True, True, True), (False, False, False)
    assert ways == {"command": tied, "monitor": tied, "background": tied, "media": apart, "trend": apart}
    declared_ways = channel("x", "trend", 10, 1000, 1000, 'push = "synchronous"\nread = "blocking"\nends = "memories"')
    one = admit.load(str(write(tmp_path, declared_ways))).channels[0]
    assert (one.synchronous, one.blocking, one.applications) == (True, True, False)


def judged(plant: Plant, *, node: dict[str, Any] | None = None, **alarms: Any) -> tuple[Result, list[Result]]:
    """Of alarms, and of all, with other nodes and other alarms."""
    nodes = tuple(replace(one, **(node or {})) for one in plant.nodes)
    channels = tuple(replace(one, **alarms) if one.name == "alarms" else one for one in plant.channels)
    results = admit.judge(Plant(nodes, channels))[1]
    return results[[one.name for one in channels].index("alarms")], results


def test_every_number_reaches_the_library() -> None:
    plant = admit.load(str(PLANT))
    before, all_before = judged(plant)
    for costs in (
        {"propagation_ns": 6_000},
        {"send_ns": 21_000},
        {"send_message_ns": 31_000},
        {"wake_ns": 600_000, "burst_ns": 600_000},
    ):
        after = judged(plant, node=costs)[0]
        assert after.response_ns + after.network_ns > before.response_ns + before.network_ns, costs
    with pytest.raises(UserError):
        judged(plant, node={"burst_ns": 499_999})  # shorter than wake
    for costs in ({"receive_ns": 130_000}, {"receive_message_ns": 31_000}):
        assert judged(plant, node=costs)[0].receive_ns > before.receive_ns, costs
    for link in ({"mtu": 600}, {"block_size": 100}, {"ipv6": True}, {"rate_bps": 50_000_000}):
        assert judged(plant, node=link)[1] != all_before, link
    for other in ({"write_ns": 60_000}, {"size": 1300}, {"group": "view"}, {"read_ns": 300_001}, {"period_ns": 10**6}):
        assert judged(plant, **other)[0] != before, other
    assert judged(plant, deadline_ns=None)[0].band == "mid"
    assert judged(plant, synchronous=False, applications=False)[0].band == "high"
    with pytest.raises(UserError):  # of what it would not take
        judged(plant, blocking=False)


RATES = {
    "100 Mbit/s": 10**8,
    "2.5Gbit/s": 2_500_000_000,
    " 9600  bit/s ": 9600,
    "1 kbit/s": 1000,
    "1000 Gbit/s": 10**12,
    "100 Mbps": 10**8,
}
BAD_RATES = {
    "100": "the unit is missing",
    "100 Mpbs": 'unknown unit "Mpbs"',
    "fast": "not a rate",
    "999 bit/s": "out of range",
    "1000.1 Gbit/s": "out of range",
    "0.0001 kbit/s": "finer than a bit",
    "-1 kbit/s": "not a rate",
}


@pytest.mark.parametrize("text", RATES)
def test_rates(text: str) -> None:
    assert RATE.read(text) == RATES[text]


@pytest.mark.parametrize("text", BAD_RATES)
def test_what_is_no_rate(text: str) -> None:
    with pytest.raises(UserError, match=BAD_RATES[text]):
        RATE.read(text)
