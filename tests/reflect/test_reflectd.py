# SPDX-License-Identifier: Apache-2.0
"""`takt reflectd` and what the tool says to it: from a declaration to values on another node. What the server does with
them: reflect/linux/test."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from children import environment, wait_until
from command_line import Takt, documented, keys
from takt.reflect import admit, areas, names, plan, serve, server, values
from takt.reflect import keys as key_files
from takt.support import compile
from takt.support.errors import UserError

NODE = 'rate = "1 Gbit/s"\nsend = "20 us"\nreceive = "20 us"\nwake = "500 us"\n'
CHANNEL = (
    '[[channel]]\nname = "{name}"\nwriter = "plant"\nreader = "station"\nkind = "{kind}"\nsize = {size}\n'
    'period = "{period}"\n{more}\n'
)
WITHIN_S = 30.0
Serving = Callable[[Path, str], None]


def declared(folder: Path, *, plant: str = "", station: str = "", more: str = "") -> Path:
    nodes = f'[[node]]\nname = "plant"\n{NODE}{plant}\n[[node]]\nname = "station"\n{NODE}{station}\n'
    pose = CHANNEL.format(name="pose", kind="monitor", size=24, period="1 ms", more='deadline = "20 ms"')
    views = "".join(
        CHANNEL.format(name=name, kind="media", size=3000, period="5 ms", more='deadline = "30 ms"\ngroup = "view"')
        for name in ("north", "south")
    )
    path = folder / "system.toml"
    path.write_text(nodes + pose + views + more, encoding="utf-8")
    return path


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """From now on names are those of that node."""

    def use(name: str) -> None:
        monkeypatch.setenv("TAKT_REFLECT_FOLDER", str(tmp_path / name))

    use("plant")
    return use


@contextmanager
def running(*words: object) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "takt", "reflectd", *words]
    with subprocess.Popen(
        [str(word) for word in command], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert "serves" in process.stdout.readline(), process.stderr.read() if process.stderr else ""
            yield process
        finally:
            process.send_signal(signal.SIGTERM)


@pytest.mark.parametrize("keyed", [False, True])
def test_from_node_to_node(takt: Takt, tmp_path: Path, node: Callable[[str], None], keyed: bool) -> None:
    compile.host_program("reflectd")
    app = declared(tmp_path)
    files: dict[str, list[object]] = {"plant": [], "station": []}
    if keyed:
        said = takt("reflect", "keys", app, "--to", tmp_path / "keys")
        assert (said.code, len(said.out.splitlines())) == (0, 2)
        files = {name: ["--keys", tmp_path / "keys" / f"{name}.keys"] for name in files}
    with ExitStack() as stack:
        writers = {
            name: stack.enter_context(areas.Writer(name, size))
            for name, size in (("pose", 24), ("north", 3000), ("south", 3000))
        }
        plant = stack.enter_context(running(app, "--node", "plant", "--priority", 0, *files["plant"]))
        node("station")
        station = stack.enter_context(running(app, "--node", "station", "--priority", 0, *files["station"]))
        pose, view = (stack.enter_context(areas.Reader(name)) for name in ("pose", "view"))
        for name, writer in writers.items():
            writer.write(name.encode())

        def shows(reader: areas.Reader, text: bytes) -> bool:
            value = reader.read() if reader.wait(0.05) or True else None
            return value is not None and value.data == text

        wait_until(lambda: shows(pose, b"pose"), WITHIN_S, "a value")
        wait_until(lambda: shows(view, b"north"), WITHIN_S, "the first of a group")
        assert takt("reflect", "start", "station", "south").code == 0
        wait_until(lambda: shows(view, b"south"), WITHIN_S, "the other one")
        assert takt("reflect", "stop", "station", "south").code == 0

        said = takt("reflect", "info", "--node", "station", "--json")
        state = json.loads(said.out)
        assert set(keys(state)) <= documented("reflect info --node NODE")
        assert documented("reflect info --node NODE") - set(keys(state)) == {
            f"receivers[].refusal.{key}" for key in ("verdict", "inequality", "left", "right")
        } | {
            f"senders[].{key}"
            for key in ("name", "area", "writer", "unfit", "subscribed", "started", "admitted", "period_ns", "number")
        }
        assert (state["node"], state["process"], state["real_time"]) == ("station", station.pid, False)
        assert {row["name"]: row["area"] for row in state["receivers"]} == {
            "pose": "pose",
            "north": "view",
            "south": "view",
        }
        assert state["counters"]["forged"] == state["counters"]["malformed"] == 0
        text = takt("reflect", "info", "--node", "station", "--openmetrics").out
        assert [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE ")] == list(
            names.STATE_METRICS
        )
        assert 'takt_node_packets_total{node="station",what="forged"} 0' in text.splitlines()
        assert text.endswith("# EOF\n")
        node("plant")
        said = takt("reflect", "info", "--node", "plant")
        assert f"plant: process {plant.pid}, without real-time priority" in said.out.splitlines()
        assert f"  pose, sent: subscribed, written by process {os.getpid()}, " in said.out
        assert takt("reflect", "stop", "plant", "pose").code == 0  # its writer's node, too
        assert "  pose, sent: stopped here, " in takt("reflect", "info", "--node", "plant").out
        writers["pose"].write(b"later")
        assert takt("reflect", "start", "plant", "pose").code == 0
        wait_until(lambda: shows(pose, b"later"), WITHIN_S, "what was written meanwhile")
    assert plant.returncode == station.returncode == 0
    said = takt("reflect", "info", "--node", "plant")
    assert (said.code, said.err.splitlines()[0]) == (2, 'takt: node "plant" has no server here')


def test_what_is_not_admitted_is_not_sent(tmp_path: Path, node: Callable[[str], None], takt: Takt) -> None:
    slow = CHANNEL.format(name="slow", kind="command", size=24, period="50 ms", more='deadline = "21 us"')
    app = declared(tmp_path, more=slow)
    with running(app, "--node", "plant", "--priority", 0, "--queue") as plant:
        node("station")
        with running(app, "--node", "station", "--priority", 0):

            def refused() -> bool:
                return "  slow, received: refused (deadline: " in takt("reflect", "info", "--node", "station").out

            wait_until(refused, WITHIN_S, "a refusal")
        plant.terminate()
        assert plant.stderr is not None
        said = plant.stderr.read()
        assert "takt: not sent: slow: at the stage " in said
        assert "takt: no queue with priorities: 127.0.0.1 is of this machine itself\n" in said


def test_other_machines_need_keys(takt: Takt, tmp_path: Path) -> None:
    app = declared(tmp_path, station='address = "192.168.77.2"')
    said = takt("reflectd", app, "--node", "plant")
    assert (said.code, said.err) == (
        2,
        'takt: channels of "plant" go to other machines, and have no keys\n  try: takt reflect keys, then --keys\n',
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
    assert "plant.keys: there are keys already" in said.err

    path = folder / "third.keys"
    text = path.read_text()
    channels = key_files.of_node(plant, "third")
    for broken, message in (
        (text.replace("[log]", "[lag]"), "no key of channel log"),
        (text.replace("to_writer", "to_nobody"), "to_reader and to_writer are what has to be there"),
        (text.replace('to_writer = "', 'to_writer = "0'), "to_writer is no key of 32 bytes"),
        (text.replace("=", ""), "no file of keys"),
    ):
        path.write_text(broken)
        with pytest.raises(UserError, match=message):
            key_files.read(path, channels)
    path.chmod(0o640)
    with pytest.raises(UserError, match="others may read it"):
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
    told = {line[1]: line[2:] for line in lines if line[0] == "jitter"}  # its period; a thread's wake
    assert told[senders["pose"][1]] == ["1000000", "500000"]
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


@pytest.mark.parametrize(
    ("answer", "each_s"), [(b"", 0), (b"{}", 0), (b"[]", 0), (b"\xff", 0), (b'{"node"', 0), (b" ", 0.2)]
)
def test_no_server_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, takt: Takt, answer: bytes, each_s: float
) -> None:
    """Whatever has the socket's name: one message, soon, when it hangs up, says anything, or never ends."""
    monkeypatch.setenv("TAKT_REFLECT_FOLDER", str(tmp_path))
    monkeypatch.setattr(server, "WITHIN_S", 1.0)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "a@"))
        listening.listen()

        def serve() -> None:
            with suppress(OSError), listening.accept()[0] as connection:
                while connection.recv(64):
                    pass
                connection.sendall(answer)
                while each_s:
                    time.sleep(each_s)
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        began_s = time.monotonic()
        said = takt("reflect", "info", "--node", "a")
        assert time.monotonic() - began_s < 10
        thread.join()
    assert (said.code, said.out) == (2, "")
    assert said.err.splitlines()[0] == 'takt: the server of node "a" does not answer'


def test_many_who_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks while others wait to be taken in waits, too, and is not told that there is no server."""
    monkeypatch.setenv("TAKT_REFLECT_FOLDER", str(tmp_path))
    with ExitStack() as stack:
        listening = stack.enter_context(socket.socket(socket.AF_UNIX))
        listening.bind(str(tmp_path / "a@"))
        listening.listen(0)
        stack.enter_context(socket.socket(socket.AF_UNIX)).connect(str(tmp_path / "a@"))

        def serve() -> None:
            time.sleep(0.2)
            listening.accept()[0].close()
            with listening.accept()[0] as connection:
                while connection.recv(64):
                    pass
                connection.sendall(b'{"answer": 1}')

        thread = threading.Thread(target=serve)
        thread.start()
        stack.callback(thread.join)
        assert server.ask("a", "state") == {"answer": 1}


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


def test_pub_keeps_its_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """A write that is late moves none of those after it, and what it missed is not made up for at once."""
    now, times = [1000], []
    monkeypatch.setattr(time, "monotonic_ns", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda left_s: now.__setitem__(0, now[0] + round(left_s * 1e9)))

    class Late:
        def write(self, value: bytes) -> None:
            times.append(now[0])
            now[0] += {2: 29, 6: 75}.get(len(times), 3)

    values._write_all(Late(), b"", iter([b""] * 8), 20)  # type: ignore[arg-type]
    assert times == [1000, 1020, 1049, 1060, 1080, 1100, 1175, 1180, 1200]


def test_admission_at_run_time(takt: Takt, tmp_path: Path, node: Callable[[str], None]) -> None:
    """Servers go on with what is admitted, and with nothing else."""
    app = declared(tmp_path)
    more = CHANNEL.format(name="more", kind="command", size=24, period="50 ms", more='deadline = "20 ms"')
    said = takt("reflect", "admit", app)
    assert (said.code, said.err.splitlines()[0]) == (2, "takt: no server of plant or station is here")
    with ExitStack() as stack:
        writer = stack.enter_context(areas.Writer("more", 24))
        stack.enter_context(running(app, "--node", "plant", "--priority", 0))
        node("station")
        stack.enter_context(running(app, "--node", "station", "--priority", 0))
        declared(tmp_path, more=more.replace("20 ms", "21 us"))
        said = takt("reflect", "admit", app, "--json")
        assert (said.code, json.loads(said.out)["told"]) == (1, [])
        declared(tmp_path, more=more)
        assert json.loads(takt("reflect", "admit", app, "--json", "--dry-run").out)["told"] == []
        for name in ("plant", "station"):
            node(name)
            assert "more" not in takt("reflect", "info", "--node", name).out
            said = takt("reflect", "admit", app, "--json")
            assert (said.code, json.loads(said.out)["told"]) == (0, [name])
        reader = stack.enter_context(areas.Reader("more"))
        writer.write(b"came")
        wait_until(lambda: (reader.wait(0.05) and reader.read()) is not None, WITHIN_S, "a value")
