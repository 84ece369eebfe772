# SPDX-License-Identifier: Apache-2.0
"""Reflective memory of this machine by the Python binding. By the command line: test_areas_commands.py; what C does:
reflect/*/test.
"""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest
from takt.reflect import areas

pytestmark = pytest.mark.usefixtures("own_names")


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


def test_a_reader_that_is_behind_knows_how_far() -> None:
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
    with pytest.raises(areas.AreaError, match="5 bytes, but its values have at most 4"):
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
