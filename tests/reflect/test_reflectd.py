# SPDX-License-Identifier: Apache-2.0
"""`takt reflectd` and what the tool says to it: values on another node, and its answers. What is made of a declaration
before: test_reflectd_plan.py; what the server does with values: reflect/linux/test.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
from children import environment, takt_command, wait_until
from command_line import Takt, documented, keys
from served_nodes import CHANNEL, declared
from takt.reflect import areas, names, server
from takt.support import compile

WITHIN_S = 30.0
Serving = Callable[[Path, str], None]


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """From now on names are those of that node."""

    def use(name: str) -> None:
        monkeypatch.setenv("TAKT_REFLECT_FOLDER", str(tmp_path / name))

    use("plant")
    return use


@contextmanager
def running(*words: object) -> Iterator[subprocess.Popen[str]]:
    command = takt_command("reflectd", *words)
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
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
    assert (said.code, said.err.splitlines()[0]) == (2, 'takt: node "plant" has no server on this machine')


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
        assert "takt: no priority queue: 127.0.0.1 is a loopback address\n" in said


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


def test_many_clients_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that connects while others wait to be accepted waits, too; it does not report a missing server."""
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


def test_admission_at_run_time(takt: Takt, tmp_path: Path, node: Callable[[str], None]) -> None:
    """Servers go on with what is admitted, and with nothing else."""
    app = declared(tmp_path)
    more = CHANNEL.format(name="more", kind="command", size=24, period="50 ms", more='deadline = "20 ms"')
    said = takt("reflect", "admit", app)
    assert (said.code, said.err.splitlines()[0]) == (2, "takt: no server of plant or station runs on this machine")
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
