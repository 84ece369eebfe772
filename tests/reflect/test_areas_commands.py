# SPDX-License-Identifier: Apache-2.0
"""Reflective memory of this machine by the command line: list, info, pub, echo, and rates of what comes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest
from children import environment, takt_command
from command_line import Takt, documented, keys
from takt.reflect import areas, names, rates, values
from takt.reflect.rates import Seen
from takt.support.errors import UserError

pytestmark = pytest.mark.usefixtures("own_names")

Pub = Callable[..., AbstractContextManager[None]]


@pytest.fixture
def pub() -> Pub:
    @contextmanager
    def running(*words: object) -> Iterator[None]:
        """With so many values that a reader that is late by seconds loses none."""
        command = takt_command("reflect", "pub", *words, "--depth", 4096)
        with subprocess.Popen(command, env=environment()) as process:
            try:
                yield
            finally:
                process.terminate()
        assert process.returncode == 128 + signal.SIGTERM

    return running


def test_list_and_info(takt: Takt) -> None:
    assert "no process writes" in takt("reflect", "list").out
    with areas.Writer("pose", 24) as writer, areas.Writer("other", 7, 16):
        writer.write(b"x")
        document = json.loads(takt("reflect", "list", "--json").out)
        assert document == json.loads(takt("reflect", "info", "--json").out) | {"areas": document["areas"]}
        assert set(keys(document)) == documented("reflect list") == documented("reflect info")
        other, pose = document["areas"]
        assert (pose["name"], pose["size"], pose["depth"], pose["values"]) == ("pose", 24, 8, 1)
        assert pose["writer"] == os.getpid()
        assert pose["age_ns"] > 0
        assert (other["depth"], other["values"], other["age_ns"]) == (16, 0, None)
        assert [line.split()[0] for line in takt("reflect", "list").out.splitlines() if "pose" in line] == ["pose"]
        assert "24 bytes" in takt("reflect", "info", "pose").out
        said = takt("reflect", "info", "poes")
        assert said.code == 2
        assert 'no process writes "poes"\n  try: "pose"' in said.err
        assert takt("reflect", "info", "--json", "--openmetrics").code == 2


def test_openmetrics(takt: Takt) -> None:
    """As openmetrics.io has it: each family once with its type, counters end in _total, the end is said."""
    with areas.Writer("pose", 24) as writer, areas.Writer("other", 7):
        writer.write(b"x")
        text = takt("reflect", "info", "--openmetrics").out
    lines = text.splitlines()
    assert lines[-1] == "# EOF"
    assert text.endswith("# EOF\n")
    families = [line.split()[2] for line in lines if line.startswith("# TYPE ")]
    assert families == list(names.METRICS)
    samples = [line for line in lines if not line.startswith("#")]
    assert 'takt_area_values_total{area="pose"} 1' in samples
    assert 'takt_area_size_bytes{area="other"} 7' in samples
    assert sum("takt_area_age_seconds" in sample for sample in samples) == 1  # the other has no value
    for line in samples:
        name, number = line.split()
        float(number)
        assert name.split("{")[0].removesuffix("_total") in families


@pytest.mark.parametrize(
    ("shape", "words", "data", "shown"),
    [
        ("text", ["a", "b"], b"a b", "a b"),
        ("hex", ["0aff", "01"], b"\x0a\xff\x01", "0a ff 01"),
        ("<hB", ["-2", "0x10"], b"\xfe\xff\x10", [-2, 16]),
        (">f", ["1.5"], b"\x3f\xc0\x00\x00", [1.5]),
        ("d", ["nan"], b"\0\0\0\0\0\0\xf8\x7f", None),
    ],
)
def test_formats(shape: str, words: list[str], data: bytes, shown: object) -> None:
    full = values.checked(shape)
    assert values.written(words, full) == data
    if shown is not None:
        assert values.read(data, full) == shown


@pytest.mark.parametrize(("shape", "words"), [("<B", ["256"]), ("<B", ["x"]), ("<2B", ["1"]), ("hex", ["0"])])
def test_what_is_no_value(shape: str, words: list[str]) -> None:
    with pytest.raises(UserError, match="is not a value of format"):
        values.written(words, values.checked(shape))


def test_misuse(takt: Takt) -> None:
    for words, said in (
        (("echo", "x", "--format", "<q?z"), "--format"),
        (("echo", "a/b", "--timeout", "1 ms"), '"a/b" is not a valid name'),
        (("echo", "x", "--timeout", "soon"), '--timeout "soon": not a duration'),
        (("pub", "x", "1", "--depth", "3"), "a power of two"),
        (("pub", "x", "1", "2", "--format", "<B"), "is not a value of format"),
    ):
        found = takt("reflect", *words)
        assert (found.code, found.out) == (2, ""), words
        assert said in found.err
    with areas.Writer("x", 4):
        assert "x has a writer already" in takt("reflect", "pub", "x", "1").err


NO_TEXT = os.fsdecode(b"\xff\xfe")  # as a word of the command line that is no UTF-8


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("pub", NO_TEXT, "1"), r'"\xff\xfe" is not a valid name'),
        (("echo", NO_TEXT), r'"\xff\xfe" is not a valid name'),
        (("hz", NO_TEXT), r'"\xff\xfe" is not a valid name'),
        (("info", NO_TEXT), r'no process writes "\xff\xfe"'),
        (("info", "--node", NO_TEXT), r'node "\xff\xfe" has no server on this machine'),
        (("start", NO_TEXT, "x"), r'node "\xff\xfe" has no server on this machine'),
        (("start", "../names/x", "x"), 'node "../names/x" has no server on this machine'),
        (("pub", "x", "1", "--format", NO_TEXT), r'--format "\xff\xfe": bad char in struct format'),
        (("pub", "x", "1e300", "--format", "<f"), "float too large to pack"),
        (("pub", "x", NO_TEXT, "--format", "hex"), "is not a value of format"),
        (("pub", "x", "1", "--size", 1 << 26, "--depth", 32), "2147483648 bytes, more than 1073741824"),
    ],
)
def test_what_is_no_text(takt: Takt, words: tuple[object, ...], said: str) -> None:
    """One message, whatever bytes there are in names, formats and numbers."""
    found = takt("reflect", *words)
    assert (found.code, found.out) == (2, "")
    assert said in found.err
    assert "Traceback" not in found.err


def test_values_that_are_no_text() -> None:
    """They are written as they came, on the command line and in lines; and a path is shown that is none."""
    assert values.written([NO_TEXT, "x"], values.TEXT) == b"\xff\xfe x"
    command = takt_command("reflect", "pub", "x", "--size", "8", "--keep", "60 s")
    with areas.Reader("x") as reader:
        with subprocess.Popen(command, stdin=subprocess.PIPE, env=environment()) as process:
            assert process.stdin is not None
            process.stdin.write(b"\xff\r\n")
            process.stdin.close()
            assert reader.wait(30)
            value = reader.take()
            process.terminate()
        assert value is not None
        assert value.data == b"\xff"
    with pytest.raises(UserError, match="contains a NUL"):
        areas.Reader("x\0y")
    os.environ["TAKT_REFLECT_FOLDER"] = f"/proc/{NO_TEXT}"
    with pytest.raises(UserError, match=r"/proc/\\xff\\xfe: No such file"):
        areas.areas()


def test_echo_of_what_pub_says(takt: Takt, pub: Pub) -> None:
    with pub("pose", "1", "2.5", "--format", "<Bd", "--period", "2 ms"):
        said = takt("reflect", "echo", "pose", "--format", "<Bd", "--count", "3", "--timeout", "30 s")
        assert said.code == 0, said.err
        lines = [line.split() for line in said.out.splitlines()]
        assert [line[1:] for line in lines] == [["1", "2.5"]] * 3
        numbers = [int(line[0]) for line in lines]
        assert numbers == list(range(numbers[0], numbers[0] + 3))
        found = takt("reflect", "echo", "pose", "--json", "--last", "--format", "hex", "--count", "2")
        documents = [json.loads(line) for line in found.out.splitlines()]
        assert len(documents) == 2
        for document in documents:
            assert set(document) == documented("reflect echo")
            assert document["value"] == "01 00 00 00 00 00 00 04 40"
        wrong = takt("reflect", "echo", "pose", "--format", "<d", "--count", "1")
        assert (wrong.code, wrong.out) == (2, "")
        assert 'a value of 9 bytes, but format "<d" has 8' in wrong.err
    assert takt("reflect", "echo", "pose", "--timeout", "1 ms").code == 1


def test_pub_takes_lines() -> None:
    command = takt_command("reflect", "pub", "x", "--format", "<H", "--size", "8")
    with areas.Reader("x") as reader:
        subprocess.run(command, input=b"1\n2\n0x103\n", env=environment(), check=True, timeout=60)
        assert not areas.areas()
        assert reader.take() is None  # it looked before the writer came, and this is over
    with areas.Reader("x") as reader:
        with subprocess.Popen([*command, "--keep", "60 s"], stdin=subprocess.PIPE, env=environment()) as process:
            assert process.stdin is not None
            process.stdin.write(b"1\n2\n0x103\n")
            process.stdin.close()
            got: list[object] = []
            while len(got) < 3 and reader.wait(30):
                value = reader.take()
                got += [] if value is None else [value.array("<u2").tolist()]
            process.terminate()
        assert got == [[1], [2], [0x103]]


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


@pytest.mark.parametrize("command", ["hz", "bw", "delay"])
def test_rates_of_a_writer(takt: Takt, pub: Pub, command: str) -> None:
    with pub("pose", "1234567890", "--period", "5 ms"):
        with areas.Reader("pose") as reader:
            assert reader.wait(30)
        said = takt("reflect", command, "pose", "--count", "20", "--duration", "30 s", "--json")
        assert said.code == 0, said.err
        document = json.loads(said.out)
        assert set(document) == documented(f"reflect {command}")
        assert (document["area"], document["values"], document["lost"]) == ("pose", 20, 0)
        assert "pose: " in takt("reflect", command, "pose", "--count", "3").out
    none = takt("reflect", command, "pose", "--duration", "100 ms")
    assert (none.code, none.out) == (1, "")
    assert "0 values arrived in 0.1 s" in none.err


def test_figures_by_hand() -> None:
    seen = Seen([1_000_000, 3_000_000, 4_000_000], [1_000_500, 3_000_100, 4_000_900], [10, 20, 30], 7)
    assert rates.rate(seen) == {
        "values": 3,
        "lost": 7,
        "hz": pytest.approx(2000 / 3),
        "gap_ns_min": 1_000_000,
        "gap_ns_mean": 1_500_000,
        "gap_ns_max": 2_000_000,
        "gap_ns_deviation": 500_000,
    }
    assert rates.width(seen)["bytes"] == 50
    assert rates.width(seen)["bytes_per_s"] == pytest.approx(50 / 0.003)
    found = rates.delays(seen)
    assert [found[f"delay_ns_{name}"] for name in ("min", "p50", "p99", "max")] == [100, 500, 900, 900]
    assert [rates.quantile(list(range(1, 101)), percent) for percent in (1, 50, 99, 100)] == [1, 50, 99, 100]
