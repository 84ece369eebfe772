# SPDX-License-Identifier: Apache-2.0
"""Tables of CAN buses that the system drives (library/can): what is sent and received there, and the calls that send.

The times of what waits follow from the proof: as many frames of a message may wait as its bound has periods.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from takt.declare.buses import driven, protected
from takt.declare.buses.controllers import PPM
from takt.declare.schema.boards import Board
from takt.declare.schema.model import Bus, Message, System, Task
from takt.declare.schema.service import u64
from takt.image.tables import protected_code
from takt.prove.bus import shapes

if TYPE_CHECKING:
    from takt.prove.bus.buses import BusProof, Sent

DEPTH = 4  # of a message that no bound is known of


def header(system: System) -> Iterator[str]:
    """Of takt_app.h: the calls that send."""
    for bus in system.driven:
        sends = driven.sent(system, bus)
        if sends:
            yield f"extern struct takt_can_service takt_can_{bus.name};"
        for index, one in enumerate(sends):
            if one.sender is None:
                continue
            end = protected_code.of_sender(one)
            yield from protected_code.declared(end)
            yield f"\n/* {one.size} bytes. Context: {one.sender}. Blocks: never. Results: takt/can_service.h. */"
            yield f"TAKT_MUST_USE static inline enum takt_status {one.call}(const void *value)\n{{"
            call = f"(&takt_can_{bus.name}, {index}, value)"
            if end:
                call = f"_protected(&takt_can_{bus.name}, {index}, &{end}, value)"
            yield f"    return takt_can_service_send{call};\n}}"
        for one in filter(protected.is_received, driven.received(system, bus)):
            yield from protected_code.receives(one)


def ending(system: System, task: Task) -> list[str]:
    """Statements of a generated job at its end: it takes what waits for it, and sends its messages."""
    found = []
    for bus in system.driven:
        for one in driven.received(system, bus):
            if protected.is_received(one) and task.name in one.receivers:
                found += protected_code.ending(one, task.name)
            elif one.queue is not None and task.name in one.receivers:
                queue = driven.queue_of(one.name)
                found.append(f"uint8_t of_{one.name}[{max(1, one.size)}];")
                found.append(f"while (takt_mailbox_try_receive(&{queue}, of_{one.name}) == TAKT_OK) {{\n    }}")
        for one in driven.sent(system, bus):
            if one.sender == task.name:
                found.append(f"static const uint8_t takti_of_{one.name}[{max(1, one.size)}];")
                found.append(f"(void)({one.call}(takti_of_{one.name}) == TAKT_OK);")
    return found


def handling(bus: str) -> str:
    return f"    takt_can_service_interrupt(&takt_can_{bus});"


def starts(system: System) -> Iterator[str]:
    for bus in system.driven:
        yield f"    takt_can_service_start(&takt_can_{bus.name}, &takti_can_{bus.name}_config);"


@dataclass(frozen=True)
class _Tables:
    """Of one bus. `found`: what is proved of its messages. `forwarded`: those that another node forwards."""

    system: System
    bus: Bus
    index: int
    found: dict[str, Sent]
    forwarded: frozenset[str]
    others: Sequence[Sent]
    nodes: Sequence[str | None]  # that send them

    def shape(self, sent: Sent) -> str:
        one = shapes.shape(sent.frame, self.bus)
        flags = [f".{name} = true" for name in ("extended", "fd", "brs") if getattr(one, name)]
        return f"{{{', '.join([*flags, f'.dlc = {one.dlc}'])}}}"

    def depth(self, one: Message) -> int:
        sent = self.found[one.name]
        if sent.response_ns is None or sent.frame.period_ns is None:
            return DEPTH
        return -(-sent.response_ns // sent.frame.period_ns) + 1

    def lines(self, released: dict[str, int]) -> Iterator[str]:
        name, system = self.bus.name, self.system
        sends, receives = driven.sent(system, self.bus), self.receives()
        count = driven.mailboxes(self.bus)
        yield f"struct takt_can_service takt_can_{name};"
        seen = max(1, len(sends) + len(receives))
        yield f"static struct takt_can_seen takti_can_{name}_seen[{seen}];"
        yield from self.outside()
        yield from self.receptions(receives, released)
        depths = [self.depth(one) for one in sends]
        if sends:
            yield f"static const struct takt_can_stream takti_can_{name}_streams[{len(sends)}] = {{"
            for index, one in enumerate(sends):
                mailbox = str(index) if len(sends) <= count else "TAKT_CAN_SHARED"
                times = self.times(self.found[one.name], one.forwards is not None)
                fields = f"{times}, .depth = {depths[index]}, .mailbox = {mailbox}"
                yield f"    {{{fields}, .confirmed = true}}, /* {one.name} */"
            yield "};"
            yield f"static const struct takt_can_sent takti_can_{name}_sent[{len(sends)}] = {{"
            for index, one in enumerate(sends):
                frame = self.found[one.name].frame
                of_job = one.sender is not None and system.task(one.sender).separation_ns is not None
                fields = f".shape = {self.shape(self.found[one.name])}, .id = {frame.identifier:#x}, .size = {one.size}"
                fields += ", .forwarded = true" if one.name in self.forwarded else ""
                yield f"    {{{fields}, .of_job = {str(of_job).lower()}, .ages = {sum(depths[:index]) + index},"
                bound_ns = self.found[one.name].response_ns
                yield f"     .bound_ns = {'UINT64_MAX' if bound_ns is None else u64(bound_ns)}}},"
            yield "};"
            yield f"static struct takt_can_stream_state takti_can_{name}_states[{len(sends)}];"
            yield f"static struct takt_can_slot takti_can_{name}_slots[{sum(depths)}];"
            yield f"static uint64_t takti_can_{name}_ages[{sum(depths) + len(depths)}];"
        yield from self.config(sends, receives, sum(depths), 0 if count == driven.MAILBOXES else count)

    def times(self, sent: Sent, is_copy: bool) -> str:
        """How often and how late a message is queued, by the clock of this node; a copy by that of another node."""
        apart_ns, late_ns = sent.frame.period_ns or 0, sent.jitter_ns or 0
        if not is_copy:
            return f".distance_ns = {u64(apart_ns)}"
        apart_ns = apart_ns * (PPM - 2 * self.bus.drift_ppm) // PPM
        late_ns = -(-late_ns * (PPM + 2 * self.bus.drift_ppm) // PPM)
        return f".distance_ns = {u64(apart_ns)}, .jitter_ns = {u64(late_ns)}"

    def receives(self) -> list[Message]:
        """As they are found: by kind and identifier."""
        found = driven.received(self.system, self.bus)
        frames = {one.name: self.found[one.name].frame for one in found}
        return sorted(found, key=lambda one: (frames[one.name].extended, frames[one.name].identifier))

    def receptions(self, receives: Sequence[Message], released: dict[str, int]) -> Iterator[str]:
        name = self.bus.name
        for one in receives:
            yield f"static bool takti_take_{one.name}(const uint8_t *data)\n{{"
            if protected.is_received(one):
                yield from protected_code.taking(one)
            elif one.queue is None:
                write = f"    {driven.value_of(one.name)}_write(data);\n" if one.receivers else ""
                yield f"{write}    bool taken = true;"
            else:
                yield f"    bool taken = takt_mailbox_try_send(&{driven.queue_of(one.name)}, data) == TAKT_OK;"
            if one.name in released:
                yield f"    takt_job_release(&takt_tasks[{released[one.name]}]);"
            for bus, copy in driven.copies(self.system, one):
                at = [other.name for other in driven.sent(self.system, bus)].index(copy.name)
                call = f"takt_can_service_forward(&takt_can_{bus.name}, {at}, data, {self.origin(one)})"
                yield f"    (void)({call} == TAKT_OK); /* what is lost is counted */"
            yield "    return taken;\n}\n"
        if receives:
            yield f"static const struct takt_can_received takti_can_{name}_received[{len(receives)}] = {{"
            for one in receives:
                frame = self.found[one.name].frame
                shape = f".shape = {self.shape(self.found[one.name])}, .id = {frame.identifier:#x}"
                yield f"    {{{shape}, .size = {one.size}, .take = takti_take_{one.name}}},"
            yield "};"
            yield f"static const struct takt_can_filter takti_can_{name}_filters[{len(receives)}] = {{"
            for one in receives:
                frame = self.found[one.name].frame
                is_fd = shapes.shape(frame, self.bus).fd
                frames, mask = "FD" if is_fd else "DATA", "_EXTENDED" if frame.extended else ""
                yield (
                    f"    {{TAKT_CAN_FILTER_MASK, TAKT_CAN_FILTER_{frames}, {str(frame.extended).lower()},"
                    f" {frame.identifier:#x}, TAKT_CAN_ID{mask}_MAX}},"
                )
            yield "};"

    def origin(self, one: Message) -> str:
        """Where the release of what was received last is, if the board plays its sender."""
        names = [None if other.declared is None else other.declared.name for other in self.others]
        if one.name not in names:
            return "NULL"
        return f"&takti_can_{self.bus.name}_played[{names.index(one.name)}].origin_ns"

    def outside(self) -> Iterator[str]:
        declared = [one.declared for one in self.others if one.declared is not None]
        yield from protected_code.tables(self.system, self.bus, declared)
        if self.others:
            name = f"takti_can_{self.bus.name}_others"
            yield f"static const struct takt_board_can_message {name}[{len(self.others)}] = {{"
            for one in self.others:
                frame = one.frame
                times = f".period_ns = {u64(frame.period_ns or 1)}, .jitter_ns = {u64(one.jitter_ns or 0)}"
                times += f", .node = {self.nodes.index(one.sender)}"
                if one.declared is not None and one.declared.protection is not None:
                    times += f", .fill = {protected_code.filler(one.declared)}"
                yield f"    {{.shape = {self.shape(one)}, .id = {frame.identifier:#x}, {times}}}, /* {frame.name} */"
            yield "};"
            played = f"takti_can_{self.bus.name}_played"
            yield f"static struct takt_board_can_played {played}[{2 * len(self.others)}];"

    def config(
        self, sends: Sequence[Message], receives: Sequence[Message], slots: int, mailboxes: int
    ) -> Iterator[str]:
        name, bus = self.bus.name, self.bus
        yield f"static const struct takt_can_service_config takti_can_{name}_config = {{"
        yield f"    .bus = {{.rates = {{{bus.bitrate}, {bus.data_bitrate or bus.bitrate}}},"
        yield f"            .mailboxes = {mailboxes}, .fd = {str(bus.fd or bus.data_bitrate is not None).lower()},"
        if bus.drift_ppm:
            yield f"            .drift_ppm = {bus.drift_ppm},"
        if bus.interface is not None:
            yield f'            .interface = "{bus.interface}",'
        yield f"            .others = {f'takti_can_{name}_others' if self.others else 'NULL'},"
        yield f"            .other_count = {len(self.others)},"
        yield f"            .played = {f'takti_can_{name}_played' if self.others else 'NULL'}}},"
        if sends:
            yield f"    .queue = {{.streams = takti_can_{name}_streams, .states = takti_can_{name}_states,"
            yield f"              .stream_count = {len(sends)},"
            yield f"              .slots = takti_can_{name}_slots, .slot_count = {slots}}},"
            yield f"    .sent = takti_can_{name}_sent,\n    .ages = takti_can_{name}_ages,\n    .sends = true,"
        if receives:
            yield f"    .received = takti_can_{name}_received,\n    .received_count = {len(receives)},"
            yield f"    .filters = takti_can_{name}_filters,\n    .filter_count = {len(receives)},"
        yield f"    .seen = takti_can_{name}_seen,"
        yield f"    .intermission_ns = {3 * 10**9 // bus.bitrate},\n    .index = {self.index},\n}};\n"


def tables(system: System, board: Board, proofs: Sequence[BusProof]) -> Iterator[str]:
    """Of all buses, and what a run reports of their messages."""
    own, seen = {proof.bus.name: proof for proof in proofs}, {}
    released = {
        task.trigger.removeprefix("message "): index
        for index, task in enumerate(system.tasks)
        if task.trigger is not None and task.trigger.startswith("message ")
    }
    for index, bus in enumerate(system.driven):
        proof = own[bus.name]
        found = {one.declared.name: one for one in proof.sent if one.declared is not None}
        played = board.emulated and bus.interface is None
        forwarded = proof.traffic.forwarded
        made = _Tables(system, bus, index, found, forwarded, proof.others if played else [], proof.other_nodes)
        yield from made.lines(released)
        for index_of, one in enumerate([*driven.sent(system, bus), *made.receives()]):
            seen[one.name] = f"takti_can_{bus.name}_seen[{index_of}]"
    if seen:
        yield f"static const struct takt_run_message takti_run_messages[{len(seen)}] = {{"
        for index, one in enumerate(system.messages):
            if one.name in seen:
                at = seen[one.name]
                figures = (f"&{at}.{name}" for name in ("response_max_ns", "late_ns", "count", "lost"))
                yield f"    {{{', '.join(figures)}, {index}}}, /* {one.name} */"
        yield "};"
        yield f"const struct takt_run_messages takt_run_messages = {{takti_run_messages, {len(seen)}}};\n"
