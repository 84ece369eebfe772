# SPDX-License-Identifier: Apache-2.0
"""What only the port rv32 and the board rv32-virt have: their registers, and interrupts of hardware raised by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Takt
from running import emulated
from rv32_registers import registers_assembly

on_rv32 = pytest.mark.parametrize("board", [emulated("rv32-virt")])


BY_HAND = """
[[task]]
name = "raise"
entry = "raise_step"
period = "10 ms"
wcet = "1 ms"

[[interrupt]]
name = "software"
number = 0
min_interarrival = "1 s"
wcet = "20 us"
handler = "software_taken"

[[interrupt]]
name = "uart"
number = 10
min_interarrival = "1 s"
wcet = "20 us"
handler = "uart_taken"
"""

RAISING = """
#include "takt_app.h"
#include "takt/board.h"

#define MSIP (*(volatile uint32_t *)0x02000000u)
#define UART_ENABLE (*(volatile uint8_t *)0x10000001u)

static char said[] = "software 0, uart 0\\n";

void software_taken(void)
{
    said[9]++;
}

void uart_taken(void)
{
    UART_ENABLE = 0;
    said[17]++;
}

void raise_step(void *argument)
{
    static unsigned jobs;
    (void)argument;
    if (jobs++ < 3) {
        MSIP = 1;
        UART_ENABLE = 2; /* empty: interrupts at once */
    }
    if (jobs == 4) {
        takt_board_console_write(said, sizeof said - 1);
    }
}
"""


@on_rv32
def test_interrupts_of_hardware_are_taken(takt: Takt, application: Callable[..., Path], board: str) -> None:
    """The software interrupt, number 0, and a source of the PLIC: three times by the task, once by declaration."""
    said = takt(
        "run", application(BY_HAND, app_dot_c=RAISING), "--board", board, "--overheads", "none", "--duration", "50 ms"
    )
    assert "software 4, uart 4" in said.out, said.out + said.err
    assert said.code == 0


CHURN = """
[[task]]
name = "quick"
entry = "quick_step"
period = "190 us"
wcet = "20 us"

[[task]]
name = "slow"
entry = "slow_step"
style = "loop"

[[interrupt]]
name = "tick"
number = 20
min_interarrival = "110 us"
wcet = "10 us"
handler = "tick"
"""

CHURNING = """
#include "takt_app.h"
#include "takt/board.h"

void fill(uint32_t salt);
uint32_t look(void);

void tick(void)
{
    fill(3);
}

void quick_step(void *argument)
{
    (void)argument;
    fill(2);
}

void slow_step(void *argument)
{
    (void)argument;
    for (;;) {
        if (look() != 0) {
            takt_board_console_write("changed\\n", 8);
            for (;;) {
            }
        }
        static unsigned rounds;
        if (++rounds == 300) {
            takt_board_console_write("kept\\n", 5);
        }
    }
}
"""


@on_rv32
def test_every_register_survives(takt: Takt, application: Callable[..., Path], board: str) -> None:
    """Interrupts and preemptions that leave other values in all of them."""
    folder = application(CHURN, app_dot_c=CHURNING, registers_dot_c=registers_assembly())
    said = takt("run", folder, "--board", board, "--overheads", "none", "--force", "--duration", "100 ms")
    assert "kept" in said.out, said.out + said.err
    assert "changed" not in said.out
