# SPDX-License-Identifier: Apache-2.0
"""Tables and calls of messages that are protected end to end (net/e2e, library/can/protected.c)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from takt.declare.buses import driven, protected
from takt.declare.schema.model import Bus, Message, System
from takt.declare.schema.service import u64

SYNC = 1  # messages in order after a wrong counter, before the status is OK
SILENT_MAX = 14  # checks without new data that profiles 1 and 2 can count


def _config(one: Message) -> str:
    return f"takti_e2e_{one.name}"


def of_sender(one: Message) -> str | None:
    """The name of its structure; None: it is not protected."""
    return None if one.protection is None else f"takt_can_protected_{one.name}"


def _of_receiver(one: Message, task: str) -> str:
    return f"takt_can_protected_{one.name}_{task}"


def _call(one: Message, task: str) -> str:
    return f"takt_can_receive_{one.name}" + (f"_in_{task}" if len(one.receivers) > 1 else "")


def filler(one: Message) -> str:
    """The function that writes what another node does that the board plays."""
    return f"takti_fill_{one.name}"


def declared(end: str | None) -> Iterator[str]:
    """Of takt_app.h, of a sender."""
    if end is not None:
        yield f"extern struct takt_can_protected_sent {end};"


def receives(one: Message) -> Iterator[str]:
    """Of takt_app.h: a call for each receiver."""
    for task in one.receivers:
        end = _of_receiver(one, task)
        size = max(1, one.size) + protected.STAMP
        yield f"extern struct takt_can_protected_received {end};"
        yield f"\n/* {one.size} bytes, if they are accepted. Context: {task}. Blocks: never. Results: takt/e2e.h. */"
        yield f"TAKT_MUST_USE static inline struct takt_e2e_result {_call(one, task)}(void *value)\n{{"
        yield f"    uint64_t came[{-(-size // 8)}];"
        if one.queue is None:
            read = f"takt_state_read(&{driven.value_of(one.name)}, came, {size})"
        else:
            read = f"takt_mailbox_try_receive(&{driven.queue_of(one.name)}, came)"
        yield f"    bool any = {read} == TAKT_OK;"
        yield f"    return takt_can_service_check(&{end}, any ? came : NULL, value);\n}}"


def ending(one: Message, task: str) -> list[str]:
    """Statements of a generated job that receives it."""
    call = f"{_call(one, task)}(of_{one.name})"
    found = [f"uint8_t of_{one.name}[{max(1, one.size)}];"]
    if one.queue is None:
        return [*found, f"(void){call}.status;"]
    return [*found, f"while ({call}.status != TAKT_E2E_NONEWDATA) {{\n    }}"]


def taking(one: Message) -> Iterator[str]:
    """Statements that take it in the interrupt."""
    size = max(1, one.size) + protected.STAMP
    yield f"    uint64_t value[{-(-size // 8)}];"
    yield f"    takt_can_service_stamp(value, data, {one.size});"
    if one.queue is None:
        yield f"    {driven.value_of(one.name)}_write(value);\n    bool taken = true;"
    else:
        yield f"    bool taken = takt_mailbox_try_send(&{driven.queue_of(one.name)}, value) == TAKT_OK;"


def tables(system: System, bus: Bus, played: Sequence[Message]) -> Iterator[str]:
    """Of the protected messages of a bus, which this system sends, receives, or plays."""
    sent = [one for one in driven.sent(system, bus) if one.sender is not None]
    received = [*filter(protected.is_received, driven.received(system, bus))]
    for one in system.messages:
        if one.protection is None or one not in (*sent, *received, *played):
            continue
        yield from _table(one)
        if one in sent:
            yield f"struct takt_can_protected_sent {of_sender(one)} = {{.e2e = &{_config(one)}}};"
        if one in received:
            for task in one.receivers:
                yield f"struct takt_can_protected_received {_of_receiver(one, task)} = {{"
                yield f"    .e2e = &{_config(one)}, .receiver = TAKT_E2E_RECEIVER}};"
        if one in played:
            yield f"static void {filler(one)}(uint8_t *data, uint32_t number)\n{{"
            counter = f"(uint8_t)(number % {protected.COUNTERS[one.protection.profile]})"
            yield f"    takt_e2e_protect(&{_config(one)}, {counter}, data);\n}}\n"


def _table(one: Message) -> Iterator[str]:
    found = one.protection
    assert found is not None
    if isinstance(found.data_id, tuple):
        ids = f"{_config(one)}_ids"
        yield f"static const uint8_t {ids}[TAKT_E2E_IDS] = {{{', '.join(map(str, found.data_id))}}};"
        identifier = f".data_ids = {ids}"
    else:
        identifier = f".data_id = {found.data_id:#x}"
    quorum = f"{{1, {found.max_errors}}}"
    fresh = "UINT64_MAX" if found.fresh_ns is None else u64(found.fresh_ns)
    yield f"static const struct takt_e2e_config {_config(one)} = {{"
    yield f"    .profile = TAKT_E2E_PROFILE_{found.profile}, .mode = TAKT_E2E_ID_{found.mode.upper()},"
    yield f"    .size = {one.size}, {identifier}, .delta_max = {found.max_lost + 1},"
    yield f"    .no_new_max = {min(SILENT_MAX, found.window)}, .sync = {SYNC}, .window = {found.window},"
    yield f"    .init = {quorum}, .valid = {quorum}, .invalid = {quorum}, .fresh_ns = {fresh}}};"
