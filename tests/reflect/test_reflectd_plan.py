# SPDX-License-Identifier: Apache-2.0
"""What `takt reflectd` is started with: the plan of a declaration, its groups, and the keys of its nodes."""

from __future__ import annotations

from pathlib import Path

import pytest
from command_line import Takt
from served_nodes import CHANNEL, NODE, declared
from takt.reflect import admit, plan, serve
from takt.reflect import keys as key_files
from takt.support.errors import UserError


def test_other_machines_need_keys(takt: Takt, tmp_path: Path) -> None:
    app = declared(tmp_path, station='address = "192.168.77.2"')
    said = takt("reflectd", app, "--node", "plant")
    assert (said.code, said.err) == (
        2,
        'takt: channels of "plant" go to other machines, and have no keys\n  try: run takt reflect keys, and '
        "give the file with --keys\n",
    )
    said = takt("reflectd", app, "--node", "plnat")
    assert (said.code, said.err) == (2, 'takt: no [[node]] "plnat"\n  try: "plant"\n')


def test_keys(takt: Takt, tmp_path: Path) -> None:
    """Only the two nodes of a channel have its keys, and nobody else may read them."""
    third = f'[[node]]\nname = "third"\n{NODE}[[node]]\nname = "alone"\n{NODE}'
    app = declared(
        tmp_path,
        more=third
        + CHANNEL.replace("station", "third").format(name="log", kind="background", size=24, period="1 ms", more=""),
    )
    folder = tmp_path / "keys"
    assert takt("reflect", "keys", app, "--to", folder).code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["plant.keys", "station.keys", "third.keys"]
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    plant = admit.load(str(app))
    found = {
        name: key_files.read(key_files.path_of(folder, name), key_files.of_node(plant, name))
        for name in ("plant", "station", "third")
    }
    assert list(found["third"]) == ["log"]
    assert set(found["station"]) == {"pose", "north", "south"}
    assert found["plant"] == found["station"] | found["third"]
    each = [key for keys in found["plant"].values() for key in (keys.to_reader, keys.to_writer)]
    assert len(set(each)) == 8
    said = takt("reflect", "keys", app, "--to", folder)
    assert said.code == 2
    assert "plant.keys: the file exists already" in said.err

    path = folder / "third.keys"
    text = path.read_text()
    channels = key_files.of_node(plant, "third")
    for broken, message in (
        (text.replace("[log]", "[lag]"), "no key of channel log"),
        (text.replace("to_writer", "to_nobody"), "it must have the keys to_reader and to_writer, and no others"),
        (text.replace('to_writer = "', 'to_writer = "0'), "to_writer is not a key of 32 bytes"),
        (text.replace("=", ""), "not a file of keys"),
    ):
        path.write_text(broken)
        with pytest.raises(UserError, match=message):
            key_files.read(path, channels)
    path.chmod(0o640)
    with pytest.raises(UserError, match="other users may read it"):
        key_files.read(path, channels)
    with pytest.raises(UserError, match="cannot be read"):
        key_files.read(folder / "alone.keys", channels)


def test_the_plan(tmp_path: Path) -> None:
    """What reflect/linux/server/plan.h has; numbers of channels ascend."""
    app = declared(tmp_path, plant='port = 8000\nblock = 1000\nburst = "1 ms"')
    text = serve.plan_of(str(app), "plant", None, 7)
    lines = [line.split() for line in text.splitlines()]
    assert lines[:4] == [
        ["takt-reflectd", "1"],
        ["node", "plant", "127.0.0.1", "8000"],
        ["link", "1000000000", "1500", "1000000", "0", "1000"],
        ["priority", "7"],
    ]
    senders = {line[2]: line for line in lines if line[0] == "sender"}
    assert [int(line[1]) for line in lines if line[0] == "sender"] == sorted(int(line[1]) for line in senders.values())
    loaded = admit.load(str(app))
    jitters = {line[1]: line[2:] for line in lines if line[0] == "jitter"}  # its period; a thread's wake
    assert jitters[senders["pose"][1]] == ["1000000", "500000"]
    results = dict(zip([channel.name for channel in loaded.channels], admit.judge(loaded)[1], strict=True))
    assert senders["pose"][3:8] == ["pose", "24", "sync", "last", "1000000"]
    assert senders["north"][3:8] == ["north", "3000", "async", "last", "5000000"]
    for name, line in senders.items():
        assert line[8:] == [str(results[name].promotion_ns), str(results[name].level), "-"]
    lines = [line.split() for line in serve.plan_of(str(app), "station", None, 0).splitlines()]
    receivers = {line[2]: line for line in lines if line[0] == "receiver"}
    assert receivers["pose"][3:] == ["pose", "24", "8", "1000000", "20000000", "0", "127.0.0.1", "8000", "1", "-"]
    assert (receivers["north"][3], receivers["north"][11], receivers["south"][11]) == ("view", "1", "0")
    assert receivers["south"][8] == str(results["south"].pause_ns)
    assert plan.needs_keys(loaded, "plant") is False


TURNS = CHANNEL.format(name="{0}", kind="command", size=24, period="50 ms", more='deadline = "20 ms"\n{1}')


def turns(folder: Path) -> Path:
    """A group of one writer's: to station, and to archive."""
    nodes = "".join(f'[[node]]\nname = "{name}"\n{NODE}\n' for name in ("plant", "station", "archive"))
    same = 'group = "turn"\narea = "x"\n'
    path = folder / "system.toml"
    second = TURNS.format("second", same).replace('"station"', '"archive"')
    path.write_text(nodes + TURNS.format("first", same) + second, encoding="utf-8")
    return path


def test_a_group_of_one_writer(tmp_path: Path) -> None:
    """Its writer's node chooses; on the link it counts once, so both have the level of the first."""
    app = turns(tmp_path)
    first, second = admit.judge(admit.load(str(app)))[1]
    assert (first.level, first.response_ns, first.pause_ns) == (second.level, second.response_ns, second.pause_ns)
    lines = [line.split() for line in serve.plan_of(str(app), "plant", None, 0).splitlines()]
    groups = {line[1]: line[2:] for line in lines if line[0] == "group"}
    numbers = {line[2]: line[1] for line in lines if line[0] == "sender"}
    assert groups[numbers["first"]] == [groups[numbers["second"]][0], str(first.pause_ns), "1"]
    assert groups[numbers["second"]][2] == "0"
    for name in ("station", "archive"):  # both ask for it, and have it under its own name
        (line,) = (line for line in serve.plan_of(str(app), name, None, 0).splitlines() if line.startswith("receiver"))
        assert (line.split()[3], line.split()[11]) == ("x", "1")
