# SPDX-License-Identifier: Apache-2.0
"""The controllers of a board for the buses that a system drives: numbers, rates and costs of their interrupts."""

from __future__ import annotations

from dataclasses import replace

from takt.declare.buses import can_costs, driven
from takt.declare.schema import boards
from takt.declare.schema.model import Bus, Interrupt, System
from takt.declare.schema.reader import located
from takt.support.errors import one_of

FRAME_BITS_MIN = 47  # a classic frame of 11 bits without data and stuff bits, and the intermission
PPM = 1_000_000
FILTERS = {0: 8, 3: 16}  # by mailboxes of SENDS: messages that a controller accepts alone; with more it receives all


def frame_ns(system: System, bus: Bus) -> int:
    """The least time between two interrupts of its controller: the shortest frame that it sends or receives."""
    receives = driven.received(system, bus)
    own = [one.size for one in (*driven.sent(system, bus), *receives)]
    accepts = bus.interface is None and len(receives) <= FILTERS[driven.SENDS[bus.controller]]
    bits = FRAME_BITS_MIN + 8 * min(own, default=0) * accepts
    nominal_ns = bits * 10**9 // max(bus.bitrate, bus.data_bitrate or 0)
    return nominal_ns * (PPM - 2 * bus.drift_ppm) // PPM  # sent by a fast clock, counted by a slow one


def on_board(system: System) -> System:
    """The system with the controllers of its board. UserError: the board has none for a bus."""
    if not system.driven or system.board not in boards.names():
        return system
    board = boards.load(system.board)
    own: dict[str, Interrupt] = {}
    for index, bus in enumerate(system.driven):
        _refuse(system, bus, index, board.can_interrupts)
        number = board.can_interrupts[index]
        for item in system.interrupts:
            if item.number == number and not item.bus and not item.console:
                problem = f'[[interrupt]] "{item.name}": number = {number} is that of a CAN controller of {board.name}'
                raise located(system, item.name, problem, "another number")
        item = next(item for item in system.interrupts if item.name == driven.interrupt_of(bus.name))
        costs = can_costs.of(system, bus, board)
        wcet_ns = board.can_wcet if costs is None else costs.interrupt_ns
        own[item.name] = replace(
            item, number=number, wcet_ns=wcet_ns, min_interarrival_ns=frame_ns(system, bus), bus=bus.name
        )
    return replace(system, interrupts=tuple(own.get(item.name, item) for item in system.interrupts))


def _refuse(system: System, bus: Bus, index: int, numbers: tuple[int, ...]) -> None:
    label = f'[[can]] "{bus.name}": driver'
    if index >= len(numbers):
        has = f"has {len(numbers)} CAN controllers" if numbers else "has no CAN controller that Takt drives"
        able = [name for name in boards.names() if len(boards.load(name).can_interrupts) > index]
        raise located(system, bus.name, f"{label}: {system.board} {has}", f"board = {one_of(able)}, or no driver")
    if system.protection:
        raise located(system, bus.name, f"{label} is not possible with protection", "protection = false, or no driver")
    if bus.interface is not None and boards.load(system.board).port != "host":
        problem = f'[[can]] "{bus.name}": interface = "{bus.interface}": {system.board} is no process of this machine'
        raise located(system, bus.name, problem, 'board = "host", or no interface')
    if bus.controller not in driven.queues(bus):
        those = f"the controllers of {system.board} do" if bus.interface is None else f"{bus.interface} does"
        problem = f'{label}: {those} not queue as controller = "{bus.controller}" says'
        words = one_of([f'"{name}"' for name in driven.queues(bus)])
        raise located(system, bus.name, problem, f"controller = {words}")
