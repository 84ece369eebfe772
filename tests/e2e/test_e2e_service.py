# SPDX-License-Identifier: Apache-2.0
"""The service of protected messages by hand, and what it costs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from can_files import write
from e2e_system import BOARDS, LAMP, TORQUE, WHEEL, text_of
from running import only_full
from running import takt as run_takt
from takt.declare import declaration
from takt.declare.buses import can_costs
from takt.declare.schema import boards
from takt.support.compile import BUILD
from takt.support.provision import ROOT


def test_what_is_not_accepted_stays_out(tmp_path: Path) -> None:
    """The service by hand: a message that is new and wrong changes nothing of what the task has."""
    net = [ROOT / folder / "include" for folder in ("net/can", "net/e2e", "library/can", "runner", "kernel")]
    config = ("kernel/config/preset/standard", "kernel/config/sched/bands", "ports/host")
    include = [f"-I{folder}" for folder in (ROOT, *net, *(ROOT / name for name in config))]
    sources = [
        write(tmp_path, "main.c", BY_HAND),
        ROOT / "library/can/protected.c",
        *(ROOT / "net/e2e/src").glob("*.c"),
    ]
    program = tmp_path / "by_hand"
    subprocess.run(["gcc", "-std=gnu11", "-Wall", "-Werror", *include, *map(str, sources), "-o", program], check=True)
    assert subprocess.run([program], check=False).returncode == 0


BY_HAND = """
#include <string.h>

#include "takt/can_service.h"

static uint64_t now_ns = 5;

uint64_t takt_port_now_ns(void)
{
    return now_ns;
}

enum takt_status takt_can_service_send(struct takt_can_service *service, uint32_t message, const void *data)
{
    (void)service, (void)message, (void)data;
    return TAKT_OK;
}

int main(void)
{
    static const struct takt_e2e_config config = {.profile = TAKT_E2E_PROFILE_5, .size = 4, .delta_max = 1,
        .window = 1, .init = {1, 1}, .valid = {1, 1}, .invalid = {1, 1}, .fresh_ns = 10};
    struct takt_can_protected_received received = {.e2e = &config, .receiver = TAKT_E2E_RECEIVER};
    uint8_t data[4] = {0, 0, 0, 7}, value[4] = {0}, stamped[12];
    takt_e2e_protect(&config, 0, data);
    takt_can_service_stamp(stamped, data, 4);
    now_ns = 9;
    struct takt_e2e_result found = takt_can_service_check(&received, stamped, value);
    if (found.status != TAKT_E2E_OK || found.age_ns != 4 || value[3] != 7) {
        return 1;
    }
    data[3] = 8; /* wrong */
    takt_can_service_stamp(stamped, data, 4);
    found = takt_can_service_check(&received, stamped, value);
    if (found.status != TAKT_E2E_ERROR || found.accepted || value[3] != 7) {
        return 2;
    }
    found = takt_can_service_check(&received, stamped, value);
    return found.status == TAKT_E2E_NONEWDATA && takt_can_service_check(&received, NULL, value).age_ns == 4 ? 0 : 3;
}
"""


def counted(folder: Path, board: str, text: str) -> tuple[int, int]:
    """Of the interrupt, and of the calls of a generated job, in instructions."""
    text = text.replace('"host"', f'"{board}"').replace('entry = "control_job"\n', "")
    write(folder, "system.toml", text.replace('"500 kbit/s"', '"125 kbit/s"\nfd = true'))
    system, of = declaration.load(folder / "system.toml"), boards.load(board)
    costs = can_costs.of(system, system.driven[0], of)
    assert costs is not None
    return costs.interrupt_ns // of.instruction_ns, can_costs.calls_ns(system, "control", of) // of.instruction_ns


@pytest.mark.parametrize("board", BOARDS)
def test_the_proof_counts_it(tmp_path: Path, board: str) -> None:
    """The interrupt, which notes when a message came, and the calls of a generated job."""
    wheel = WHEEL.replace("bytes = 8", "bytes = 64")
    interrupt, calls = counted(tmp_path, board, text_of(TORQUE, wheel, LAMP))
    kept = can_costs.read(boards.load(board))
    assert kept is not None
    entry = next(one for one in kept["entry"] if one["mailboxes"] == 3)
    plain = max(entry["receive_state"][0], entry["receive_queue"][0]) + 2 * can_costs.SEARCH + 56 * can_costs.COPY
    assert interrupt == plain + can_costs.STAMP + 2 * can_costs.COPY * 72
    sends = max(entry[name][0] for name in can_costs.SENDS)
    checks = 4 * can_costs.CHECK + (64 + 3 * 5) * can_costs.CHECK_BYTE
    assert calls == sends + can_costs.PROTECT + 8 * can_costs.CHECK_BYTE + checks
    bare = (one.split("protection")[0] for one in (TORQUE, wheel, LAMP))
    assert counted(tmp_path, board, text_of(*bare))[1] == sends


MEASURED = """#include <stdio.h>

#include "kernel/port.h"
#include "takt/board.h"
#include "takt_app.h"

static const uint8_t ids[TAKT_E2E_IDS] = {1, 2, 3};
static uint64_t longest_ns[3];

static void took(unsigned what, uint64_t begin_ns)
{
    uint64_t ns = takt_port_now_ns() - begin_ns;
    longest_ns[what] = ns > longest_ns[what] ? ns : longest_ns[what];
}

static void measure(int profile, uint8_t size)
{
    static uint8_t data[64];
    static uint64_t stamped[9];
    const struct takt_e2e_config config = {.profile = (enum takt_e2e_profile)profile, .size = size, .data_id = 0x123,
        .data_ids = ids, .delta_max = 2, .no_new_max = 2, .sync = 1, .window = 8, .init = {1, 1}, .valid = {1, 1},
        .invalid = {1, 1}, .fresh_ns = 1000000};
    struct takt_can_protected_received received = {.e2e = &config, .receiver = TAKT_E2E_RECEIVER};
    uint8_t counter = 0;
    memset(longest_ns, 0, sizeof longest_ns);
    for (unsigned i = 0; i < 64; i++) {
        uint8_t bytes[64];
        uint64_t begin_ns = takt_port_now_ns();
        memcpy(bytes, data, size);
        takt_e2e_protect(&config, counter, bytes);
        counter = takt_e2e_next(&config, counter);
        took(0, begin_ns);
        counter = i % 7 == 3 ? takt_e2e_next(&config, counter) : counter;
        bytes[size - 1] ^= i % 9 == 5;
        begin_ns = takt_port_now_ns();
        takt_can_service_stamp(stamped, bytes, size);
        took(1, begin_ns);
        begin_ns = takt_port_now_ns();
        (void)takt_can_service_check(&received, i % 11 == 7 ? NULL : stamped, data).status;
        took(2, begin_ns);
    }
    printf("%d %d %d %d %d\\n", profile, size, (int)longest_ns[0], (int)longest_ns[1], (int)longest_ns[2]);
}

void control_job(void *argument)
{
    (void)argument;
    uint32_t lock = takt_port_lock();
    measure(1, 8);
    measure(1, 30);
    measure(2, 32);
    measure(5, 8);
    measure(5, 64);
    takt_port_unlock(lock);
    fflush(stdout);
    takt_board_exit(0);
}
"""


@only_full
@pytest.mark.parametrize("board", BOARDS)
def test_measured_again(tmp_path: Path, board: str) -> None:
    """What is counted is no less than what a board takes."""
    folder = tmp_path / f"e2e_costs_{board}"
    folder.mkdir()
    text = text_of(TORQUE, WHEEL).replace('"host"', f'"{board}"').replace("500", "125")
    write(folder, "system.toml", text.replace('"10 ms"', '"100 ms"').replace('"1 ms"', '"60 ms"'))
    write(folder, "code.c", MEASURED)
    run_takt("run", folder, "--force")
    found = declaration.load(folder / "system.toml")
    (console,) = BUILD.glob(f"{found.name}.*/run/console.txt")
    unit, rows = boards.load(board).instruction_ns, [line.split() for line in console.read_text().splitlines()]
    assert len(rows) == 5
    for _, size, *took in (map(int, row) for row in rows):
        protect, stamp, check = (ns / unit for ns in took)
        assert protect <= can_costs.PROTECT + can_costs.CHECK_BYTE * size
        assert stamp <= can_costs.STAMP + can_costs.COPY * (size + 8)
        assert check <= can_costs.CHECK + can_costs.CHECK_BYTE * size
