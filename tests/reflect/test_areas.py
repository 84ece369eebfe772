# SPDX-License-Identifier: Apache-2.0
"""Reflective memory of this machine by the Python binding and the command line. What C does: reflect/*/test."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import numpy as np
import pytest
from children import environment
from command_line import Takt, documented, keys
from takt.declare import channels
from takt.reflect import areas, names, rates, values
from takt.reflect.rates import Seen
from takt.support.errors import UserError

Pub = Callable[..., AbstractContextManager[None]]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAKT_REFLECT_FOLDER", str(tmp_path / "names"))


@pytest.fixture
def pub() -> Pub:
    @contextmanager
    def running(*words: object) -> Iterator[None]:
        """With so many values there that who is late by seconds loses none."""
        command = [sys.executable, "-m", "takt", "reflect", "pub", *words, "--depth", 4096]
        with subprocess.Popen([str(word) for word in command], env=environment()) as process:
            try:
                yield
            finally:
                process.terminate()
        assert process.returncode == 128 + signal.SIGTERM

    return running


def test_there_and_back() -> None:
    with areas.Reader("pose") as reader:
        assert (reader.size, reader.writers, reader.read(), reader.take()) == (0, 0, None, None)
        assert not reader.wait(0)
        with areas.Writer("pose", 24) as writer:
            before = areas.now_ns()
            writer.write(np.array([1.5, -2.0, 1e9]))
            writer.write(b"more")
            assert reader.wait(5)
            first, second = reader.take(), reader.take()
            assert first is not None
            assert second is not None
            assert (first.number, second.number, bytes(second.data)) == (1, 2, b"more")
            assert before <= first.time_ns <= second.time_ns <= areas.now_ns()
            assert first.array("<f8").tolist() == [1.5, -2.0, 1e9]
            assert first.array("<f8", (3, 1)).shape == (3, 1)
            assert reader.take() is None
            newest = reader.read()
            assert newest is not None
            assert newest.number == 2
            assert (reader.size, reader.writers, reader.lost) == (24, 1, 0)


def test_an_array_is_a_view_of_the_value() -> None:
    with areas.Writer("x", 8) as writer, areas.Reader("x") as reader:
        writer.write(np.arange(4, dtype="<u2"))
        value = reader.read()
        assert value is not None
        value.array("<u2")[1] = 9
        assert value.data == bytes([0, 0, 9, 0, 2, 0, 3, 0])
        again = reader.read()
        assert again is not None
        assert again.data == bytes([0, 0, 1, 0, 2, 0, 3, 0])  # of nobody else
        with pytest.raises(ValueError, match="multiple"):
            value.array("V3")


def test_who_is_behind_knows_how_far() -> None:
    with areas.Writer("x", 4, depth=2) as writer, areas.Reader("x") as reader:
        for number in range(5):
            writer.write(bytes([number]))
        taken = [value.data[0] for value in iter(reader.take, None) if value is not None]
        assert (taken, reader.lost) == ([3, 4], 3)


def test_what_is_refused() -> None:
    with areas.Writer("x", 4), pytest.raises(areas.AreaError, match="x has a writer already"):
        areas.Writer("x", 4)
    for name, size, depth in (("a/b", 4, 8), ("x", 0, 8), ("x", 4, 3), ("x", 2**40, 8), ("x", -1, 8)):
        with pytest.raises(areas.AreaError):
            areas.Writer(name, size, depth)
    writer = areas.Writer("x", 4)
    with pytest.raises(areas.AreaError, match="5 bytes, and its values are of 4"):
        writer.write(b"12345")
    writer.close()
    writer.close()
    with pytest.raises(ValueError, match="closed"):
        writer.write(b"1")
    reader = areas.Reader("x")
    reader.close()
    for call in (reader.read, reader.take, reader.wait):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_many_areas() -> None:
    writers = [areas.Writer(f"area{number:03}", number + 1) for number in range(70)]
    try:
        writers[3].write(b"x")
        found = areas.areas()
        assert [(area.name, area.size) for area in found] == [(f"area{n:03}", n + 1) for n in range(70)]
        assert [area.newest for area in found] == [int(n == 3) for n in range(70)]
        assert {area.writer for area in found} == {os.getpid()}
    finally:
        for writer in writers:
            writer.close()
    assert areas.areas() == []


def test_list_and_info(takt: Takt) -> None:
    assert "nobody writes" in takt("reflect", "list").out
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
        assert 'nobody writes "poes"\n  try: "pose"' in said.err
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
    with pytest.raises(UserError, match="is no value of format"):
        values.written(words, values.checked(shape))


def test_misuse(takt: Takt) -> None:
    for words, said in (
        (("echo", "x", "--format", "<q?z"), "--format"),
        (("echo", "a/b", "--timeout", "1 ms"), '"a/b" is no name'),
        (("echo", "x", "--timeout", "soon"), '--timeout "soon": not a duration'),
        (("pub", "x", "1", "--depth", "3"), "a power of two"),
        (("pub", "x", "1", "2", "--format", "<B"), "is no value of format"),
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
        (("pub", NO_TEXT, "1"), r'"\xff\xfe" is no name'),
        (("echo", NO_TEXT), r'"\xff\xfe" is no name'),
        (("hz", NO_TEXT), r'"\xff\xfe" is no name'),
        (("info", NO_TEXT), r'nobody writes "\xff\xfe"'),
        (("info", "--node", NO_TEXT), r'node "\xff\xfe" has no server here'),
        (("start", NO_TEXT, "x"), r'node "\xff\xfe" has no server here'),
        (("start", "../names/x", "x"), 'node "../names/x" has no server here'),
        (("pub", "x", "1", "--format", NO_TEXT), r'--format "\xff\xfe": bad char in struct format'),
        (("pub", "x", "1e300", "--format", "<f"), "float too large to pack"),
        (("pub", "x", NO_TEXT, "--format", "hex"), "is no value of format"),
        (("pub", "x", "1", "--size", 1 << 26, "--depth", 32), "2147483648 bytes, and at most 1073741824 are possible"),
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
    command = [sys.executable, "-m", "takt", "reflect", "pub", "x", "--size", "8", "--keep", "60 s"]
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
    with pytest.raises(UserError, match="has a NUL"):
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
        assert 'a value of 9 bytes, and "<d" is 8' in wrong.err
    assert takt("reflect", "echo", "pose", "--timeout", "1 ms").code == 1


@pytest.mark.parametrize("size", [511, 512, 519, 520, 4099, 65000])
def test_every_byte_comes(size: int) -> None:
    """Long values are copied by another instruction than short ones (base/word.h), and their last bytes as those."""
    value = np.random.default_rng(size).integers(0, 256, size, np.uint8).tobytes()
    with areas.Writer("long", size + 8) as writer, areas.Reader("long") as reader:
        for length in (size, size - 1, size):
            writer.write(value[:length])
            found = reader.read()
            assert found is not None
            assert found.data == value[:length]


def test_long_values_are_whole_while_they_are_written() -> None:
    size, ending = 60000, threading.Event()

    def write() -> None:
        with areas.Writer("whole", size, depth=2) as writer:
            while not ending.is_set():
                for filled in range(256):
                    writer.write(bytes([filled]) * size)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        with areas.Reader("whole") as reader:
            assert reader.wait(30)
            seen: set[int] = set()
            for _ in range(3000):
                value = reader.read()
                if value is not None:
                    assert value.data == value.data[:1] * size
                    seen.add(value.data[0])
            assert len(seen) > 1
    finally:
        ending.set()
        thread.join()


def test_pub_takes_lines() -> None:
    command = [sys.executable, "-m", "takt", "reflect", "pub", "x", "--format", "<H", "--size", "8"]
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
    assert "0 values came in 0.1 s" in none.err


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


def test_the_binding_is_as_the_header_says() -> None:
    """Sizes of structures and constants, asked of a compiler."""
    from takt.reflect import library as c
    from takt.support import compile
    from takt.support.provision import ROOT

    compile.host_library("reflect")
    said = {
        "sizeof(struct takt_area_shape)": ctypes.sizeof(c.Shape),
        "sizeof(struct takt_area_stamp)": ctypes.sizeof(c.Stamp),
        "sizeof(struct takt_area_value)": ctypes.sizeof(c.Value),
        "sizeof(struct takt_reader_state)": ctypes.sizeof(c.State),
        "sizeof(struct takt_reflect_info)": ctypes.sizeof(c.Info),
        "offsetof(struct takt_reflect_info, newest)": c.Info.newest.offset,
        "TAKT_REFLECT_NAME": c.NAME,
        "TAKT_AREA_SIZE_MAX": c.SIZE_MAX,
        "TAKT_AREA_DEPTH_MAX": c.DEPTH_MAX,
        "TAKT_REFLECT_BYTES_MAX": channels.AREA_MAX,
    }
    for name in ("OK", "TIMEOUT", "BUSY", "LIMIT", "STATE", "EMPTY", "OVERTAKEN"):
        said[f"TAKT_{name}"] = getattr(c, name)
    lines = ["#include <stddef.h>", '#include "takt/reflect.h"']
    lines += [f'_Static_assert({what} == {number}, "{what}");' for what, number in said.items()]
    includes = [f"-I{ROOT / folder}" for folder in ("", "reflect/core/include", "reflect/linux/include")]
    subprocess.run(
        ["gcc", "-std=gnu11", *includes, "-fsyntax-only", "-xc", "-"], input="\n".join(lines), text=True, check=True
    )
