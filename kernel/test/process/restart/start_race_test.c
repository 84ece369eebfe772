/* SPDX-License-Identifier: Apache-2.0 */
/* Processes that are stopped and started at random, and in interrupts in the middle of a step. */
#include "looker.h"

#include "kernel/core/kernel.h"
#include "kernel/process/restart.h"
#include "ports/host/host.h"

enum { IRQ_ANY = 6, RANDOM_MS = 3000 };

static void check_all(void)
{
    check_kernel(UINT16_MAX);
}

static void start_again(unsigned task)
{
    (void)task;
    while (CALL1(process_stopped, world_handle(WORLD_PROCESS_A)) == 0) {
        (void)CALL1(delay, LOOK_NS);
    }
    note(CALL1(process_start, world_handle(WORLD_PROCESS_A)));
    sleep_to(10000);
}

/* An interrupt in the middle of a piece of memory stops the process, and perhaps starts it again. */
static unsigned interrupted; /* when the lock was opened so often in pieces; 0: never */
static bool starts_again;

void __real_takt_port_leave(uint32_t entered);
void __wrap_takt_port_leave(uint32_t entered);

void __wrap_takt_port_leave(uint32_t entered)
{
    __real_takt_port_leave(entered);
    const struct takt_process *process = &world.processes[0];
    bool piece = takt_port_in_interrupt() && process->phase == TAKTI_PHASE_MEMORY;
    if (piece && !takti_timer_armed(&process->restart_call.timer) && interrupted != 0 && --interrupted == 0) {
        note(takt_process_stop(&world.processes[0]));
        memset(world_memory[0], 0x77, MEMORY); /* as if it had run in between */
        if (starts_again) {
            note(takt_process_start(&world.processes[0]));
        }
    }
}

static void check_interrupted(unsigned times, bool again)
{
    fresh_with_looker(UINT8_MAX, look, check_all);
    world.work[B + BACKGROUND] = start_again;
    world_on_call(0);
    starts_again = again;
    interrupted = times;
    world_run(95);
    interrupted = 0;
    CHECK_EQUAL(results[1], TAKT_OK);
    CHECK_EQUAL(world.processes[0].state, again ? TAKTI_PROCESS_RUNS : TAKTI_PROCESS_STOPPED);
    CHECK_EQUAL(world.processes[0].phase, TAKTI_PHASE_NONE);
    if (again) {
        CHECK_EQUAL(results[2], TAKT_OK);
        CHECK_EQUAL(world_memory[0][3], 3 * 7 + 1);
        CHECK_EQUAL(world_memory[0][GUARD], 0);
        CHECK_EQUAL(world_memory[0][MEMORY - 1], 0);
    }
}

static void test_stopped_in_a_piece(void)
{
    for (unsigned times = 1; times <= 2 * MEMORY / TAKTI_RESTART_PIECE; times++) { /* before each piece, and in it */
        check_interrupted(times, false);
        check_interrupted(times, true);
    }
}

/* Starts and stops at random times, in interrupts too, which come while memory is made; a task faults in between. */
static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((seed >> 33) % below);
}

static unsigned done[2]; /* starts, stops */

static void any_change(void)
{
    struct takt_process *process = &world.processes[draw(2)];
    if (draw(2) == 0) {
        done[0] += takt_process_start(process) == TAKT_OK;
    } else if (draw(60) == 0) {
        done[1] += takt_process_stop(process) == TAKT_OK;
    }
}

static void fault_sometimes(unsigned task)
{
    (void)task;
    for (;;) {
        (void)CALL1(delay, 1 + draw(TAKT_MS(9)));
        if (draw(4) == 0) {
            fault();
        }
        if (draw(4) == 0) {
            (void)CALL1(process_stop, world_handle(draw(2) == 0 ? WORLD_PROCESS_A : WORLD_PROCESS_B));
        }
    }
}

static void check_memory_is_made(unsigned task)
{
    CHECK_EQUAL(world_memory[task / PROCESS_TASKS][GUARD + 1], 0);
    CHECK_EQUAL(world_memory[task / PROCESS_TASKS][MEMORY - QUOTA - COPIES - 64], 0);
    world_memory[task / PROCESS_TASKS][GUARD + 1] = 1;
    world_memory[task / PROCESS_TASKS][MEMORY - QUOTA - COPIES - 64] = 1;
    for (;;) {
        (void)CALL1(delay, TAKT_MS(5));
    }
}

static void change_from_now_on(void)
{
    takt_port_irq_attach(IRQ_ANY, any_change, true);
    takt_host_interrupt_every(IRQ_ANY, TAKT_US(700), TAKT_US(430));
}

static void test_random(void)
{
    fresh_with_looker(UINT8_MAX, look, check_all);
    world_on_call(0);
    world.work[B + BACKGROUND] = fault_sometimes;
    world.work[A + BACKGROUND] = check_memory_is_made;
    world.work[A + SPORADIC] = fault_sometimes;
    world.declare = change_from_now_on;
    done[0] = done[1] = 0;
    world_run(RANDOM_MS);
    CHECK(done[0] > 10 && done[1] > 10 && takt_process_faults.count > 10);
}

int main(void)
{
    seed = check_seed();
    test_stopped_in_a_piece();
    test_random();
    return 0;
}
