# SPDX-License-Identifier: Apache-2.0
"""ISO-TP of net/can beside can-isotp, in time of the test: messages of any length in both directions at once.

TAKT_CAN_ISOTP: how many random pairs of ends (default 80, with --full 5000). TAKT_SEED: the first of their seeds.
"""

from __future__ import annotations

import ctypes
import os
import random
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import isotp
import pytest
import udsoncan
from isotp import AddressingMode, CanMessage
from isotp_ends import LENGTHS, MAX, MS, Clock, Ours, Theirs, library, run, second_times, their_end, usual
from takt.support.c import can as c
from udsoncan.client import Client
from udsoncan.connections import BaseConnection

FULL = bool(os.environ.get("TAKT_TEST_FULL"))
PAIRS = int(os.environ.get("TAKT_CAN_ISOTP", "5000" if FULL else "80"))
SEED = int(os.environ.get("TAKT_SEED", "1"))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(isotp.tools, "time", SimpleNamespace(perf_counter_ns=made.perf_counter_ns))
    return made


def random_addresses(choose: random.Random) -> tuple[c.IsotpAddress, isotp.Address]:
    """The same one, as each end sees it."""
    mode = choose.choice(list(AddressingMode)[:7])
    extended = mode in (AddressingMode.Normal_29bits, AddressingMode.Extended_29bits)
    first, second = choose.sample(range(1 << (29 if extended else 11)), 2)
    ids = c.IsotpIds(extended=extended, send_id=first, receive_id=second)
    own, other, extension = choose.sample(range(256), 3)
    ends = c.IsotpEnds(own=own, other=other)
    their_ids: dict[str, Any] = {"txid": second, "rxid": first}
    their_ends: dict[str, Any] = {"source_address": other, "target_address": own}
    if mode in (AddressingMode.Normal_11bits, AddressingMode.Normal_29bits):
        return library().takt_can_isotp_normal(ids), isotp.Address(mode, **their_ids)
    if mode == AddressingMode.NormalFixed_29bits:
        return library().takt_can_isotp_normal_fixed(ends, False), isotp.Address(mode, **their_ends)
    if mode in (AddressingMode.Extended_11bits, AddressingMode.Extended_29bits):
        return library().takt_can_isotp_extended(ids, ends), isotp.Address(mode, **their_ids, **their_ends)
    extended_by: dict[str, Any] = {"address_extension": extension}
    if mode == AddressingMode.Mixed_11bits:
        address = library().takt_can_isotp_mixed(ids, ctypes.c_uint8(extension))
        return address, isotp.Address(mode, **their_ids, **extended_by)
    assert mode == AddressingMode.Mixed_29bits
    address = library().takt_can_isotp_mixed_fixed(ends, ctypes.c_uint8(extension), False)
    return address, isotp.Address(mode, **their_ends, **extended_by)


def random_ends(choose: random.Random, clock: Clock) -> tuple[Ours, Theirs]:
    ours_address, theirs_address = random_addresses(choose)
    fd = choose.random() < 0.6
    padding = choose.choice([None, 0x00, 0xCC, 0x55])
    config = c.IsotpConfig(
        address=ours_address,
        times=second_times(),
        tx_dl=choose.choice(LENGTHS) if fd else 8,
        fd=fd,
        brs=fd and choose.random() < 0.5,
        padded=padding is not None,
        padding=padding or 0,
        block_size=choose.choice([0, 0, 1, 2, 7, 255]),
        separation=choose.choice([0, 0, 1, 3, 0xF1, 0xF9]),
        waits_max=3,
    )
    params: dict[str, object] = {
        "tx_data_length": choose.choice(LENGTHS) if fd else 8,
        "can_fd": fd,
        "bitrate_switch": fd and choose.random() < 0.5,
        "tx_padding": choose.choice([None, 0xAA]),
        "blocksize": choose.choice([0, 0, 1, 3, 8, 200]),
        "stmin": choose.choice([0, 0, 1, 2, 0xF2, 0xF9]),
        "max_frame_size": MAX,
        "wftmax": 3,
    }
    return Ours(clock, config), Theirs(theirs_address, params)


def random_payload(choose: random.Random) -> bytes:
    near = choose.choice([1, 6, 7, 8, 10, 11, 62, 63, 4095, 4096, 300])
    length = max(1, choose.choice([near, near + choose.randrange(-2, 3), choose.randrange(1, 200)]))
    if choose.random() < 0.9:
        length = min(length, 400)
    return choose.randbytes(length)


def test_messages_in_both_directions(clock: Clock) -> None:
    for seed in range(SEED, SEED + PAIRS):
        choose = random.Random(seed)
        ours, theirs = random_ends(choose, clock)
        where = f"TAKT_SEED={seed}"
        for _ in range(3):
            forth, back = random_payload(choose), random_payload(choose)
            both = choose.random() < 0.5
            found: list[bytes | None] = [None]
            if both:
                theirs.layer.send(back)
            assert ours.send(forth) == 0, where

            def done(
                ours: Ours = ours, theirs: Theirs = theirs, both: bool = both, found: list[bytes | None] = found
            ) -> bool:
                found[0] = ours.take() or found[0]
                sent = ours.sent() != c.IsotpResult.PENDING
                return sent and theirs.layer.available() and (not both or found[0] is not None)

            run(clock, ours, theirs, done)
            assert ours.sent() == c.IsotpResult.OK, where
            assert bytes(theirs.layer.recv() or b"") == forth, where
            assert found[0] == (back if both else None), where
            assert (theirs.errors, ours.failure()) == ([], c.IsotpResult.OK), where


def test_what_does_not_fit_is_refused(clock: Clock) -> None:
    ours, theirs = Ours(clock, usual(size=100)), their_end()
    theirs.layer.send(bytes(101))
    run(clock, ours, theirs, lambda: bool(theirs.errors))
    assert isinstance(theirs.errors[0], isotp.errors.OverflowError)
    assert ours.failure() == c.IsotpResult.BUFFER_OVERFLOW
    ours, theirs = Ours(clock, usual()), their_end(max_frame_size=100)
    assert ours.send(bytes(101)) == 0
    run(clock, ours, theirs, lambda: ours.sent() != c.IsotpResult.PENDING)
    assert ours.sent() == c.IsotpResult.BUFFER_OVERFLOW


def test_a_receiver_that_is_not_ready(clock: Clock) -> None:
    """It asks to wait: can-isotp does, until it has waited as often as it may."""
    ours, theirs = Ours(clock, usual(waits_max=2)), their_end(wftmax=5)
    library().takt_can_isotp_pause(ctypes.byref(ours.channel), True, ours._now())
    theirs.layer.send(bytes(range(100)))
    start_ns = clock.now_ns
    run(clock, ours, theirs, lambda: clock.now_ns > start_ns + 1200 * MS)
    library().takt_can_isotp_pause(ctypes.byref(ours.channel), False, ours._now())
    run(clock, ours, theirs, lambda: library().takt_can_isotp_received(ctypes.byref(ours.channel)) > 0)
    assert ours.take() == bytes(range(100))
    assert theirs.errors == []
    library().takt_can_isotp_pause(ctypes.byref(ours.channel), True, ours._now())
    theirs.layer.send(bytes(range(100)))
    run(clock, ours, theirs, lambda: bool(theirs.errors))
    assert isinstance(theirs.errors[0], isotp.errors.FlowControlTimeoutError)
    assert ours.failure() == c.IsotpResult.WAIT_OVERRUN


def lossy(receive: Callable[[CanMessage], None], left: int) -> Callable[[CanMessage], None]:
    """The same for the first `left` frames."""
    frames = iter(range(left))

    def receive_some(message: CanMessage) -> None:
        if next(frames, None) is not None:
            receive(message)

    return receive_some


@pytest.mark.parametrize("left", range(1, 12))
def test_their_frames_are_lost(clock: Clock, left: int) -> None:
    """From one on: can-isotp waits for a flow control, and we for a consecutive frame."""
    ours, theirs = Ours(clock, usual(block_size=4)), their_end(blocksize=3)
    ours.receive = lossy(ours.receive, left)  # type: ignore[assignment, method-assign]
    theirs.layer.send(bytes(200))
    end_ns = clock.now_ns + 4 * 10**9
    run(clock, ours, theirs, lambda: clock.now_ns > end_ns, 5 * 10**9)
    assert isinstance(theirs.errors[0], isotp.errors.FlowControlTimeoutError)
    assert ours.failure() == c.IsotpResult.TIMEOUT_CR


@pytest.mark.parametrize("left", range(1, 12))
def test_our_frames_are_lost(clock: Clock, left: int) -> None:
    ours, theirs = Ours(clock, usual(block_size=4)), their_end(blocksize=3)
    theirs.receive = lossy(theirs.receive, left)  # type: ignore[assignment, method-assign]
    assert ours.send(bytes(200)) == 0
    run(clock, ours, theirs, lambda: ours.sent() != c.IsotpResult.PENDING)
    assert ours.sent() == c.IsotpResult.TIMEOUT_BS


class Connection(BaseConnection):
    """udsoncan's way to a server that is a channel in C."""

    def __init__(self, clock: Clock, ours: Ours, theirs: Theirs, server: Callable[[bytes], bytes]) -> None:
        super().__init__("test")
        self.clock, self.ours, self.theirs, self.server = clock, ours, theirs, server

    def open(self) -> Connection:
        return self

    def close(self) -> None:
        return

    def is_open(self) -> bool:
        return True

    def empty_rxqueue(self) -> None:
        self.theirs.layer.clear_rx_queue()

    def specific_send(self, payload: bytes, timeout: float | None = None) -> None:
        del timeout
        self.theirs.layer.send(payload)

    def specific_wait_frame(self, timeout: float | None = None) -> bytes:
        del timeout

        def answered() -> bool:
            request = self.ours.take()
            if request is not None:
                assert self.ours.send(self.server(request)) == 0
            return self.theirs.layer.available()

        run(self.clock, self.ours, self.theirs, answered, 10 * 10**9)
        payload = self.theirs.layer.recv()
        assert payload is not None
        return bytes(payload)


class Text(udsoncan.DidCodec):
    """A record of 60 letters: more than a frame has."""

    def encode(self, *values: object) -> bytes:
        return str(values[0]).encode("ascii")

    def decode(self, string_bin: bytes) -> str:
        return string_bin.decode("ascii")

    def __len__(self) -> int:
        return 60


def test_a_diagnostic_client(clock: Clock) -> None:
    """ISO 14229 over it: a session, a long record that is written and read back, a service that there is not."""
    records: dict[bytes, bytes] = {}

    def server(request: bytes) -> bytes:
        service, rest = request[0], request[1:]
        if service == 0x10:
            return bytes([0x50, rest[0], 0x00, 0x32, 0x01, 0xF4])
        if service == 0x2E:
            records[rest[:2]] = rest[2:]
            return bytes([0x6E]) + rest[:2]
        if service == 0x22:
            return bytes([0x62]) + rest[:2] + records[rest[:2]]
        return bytes([0x7F, service, 0x11])

    connection = Connection(clock, Ours(clock, usual(block_size=3, padded=True)), their_end(tx_padding=0xCC), server)
    config = {"data_identifiers": {0xF190: Text}, "exception_on_negative_response": True}
    letters = "".join(chr(ord("A") + i % 26) for i in range(60))
    with Client(connection, config=cast("Any", config)) as client:
        assert client.change_session(3).positive
        assert client.write_data_by_identifier(0xF190, letters).positive
        assert client.read_data_by_identifier(0xF190).service_data.values[0xF190] == letters
        with pytest.raises(udsoncan.exceptions.NegativeResponseException):
            client.ecu_reset(1)
