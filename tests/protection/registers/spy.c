/* SPDX-License-Identifier: Apache-2.0 */
/* Process a: `spy` comes back to user mode in each way that there is, and says what it finds in its registers. */
#include "registers.h"
#include "takt/board.h"
#include "takt/semaphore.h"
#include "takt/task.h"
#include "takt/time.h"
#include "takt_app.h"

#include <stdbool.h>
#include <string.h>

enum { SPIN = 60000 }; /* loops: some milliseconds */
#define PATTERN(number) (0x5A0B0C00u + (number))
#define STUB(call) ((void (*)(void))(call))

extern void takt_user_main(void);

static struct registers registers;

static void print_wrong(const char *way, unsigned number, uint32_t value)
{
    char text[] = ": 00 0x00000000\n";
    text[2] = (char)('0' + number / 10);
    text[3] = (char)('0' + number % 10);
    for (unsigned index = 0; index < 8; index++) {
        text[7 + index] = "0123456789abcdef"[value >> (28 - 4 * index) & 15];
    }
    takt_board_console_write(way, strlen(way));
    takt_board_console_write(text, sizeof text - 1);
}

static void print_right(const char *way)
{
    takt_board_console_write(way, strlen(way));
    takt_board_console_write(": right\n", 8);
}

static void plant(void)
{
    for (unsigned number = 0; number < REGISTER_COUNT; number++) {
        registers.in[number] = PATTERN(number);
    }
}

/* Both of sp and tp: as they are, all the time. */
static bool is_own(unsigned number, uint32_t value)
{
    uint32_t here = (uint32_t)(uintptr_t)__builtin_frame_address(0);
    return number == REGISTER_SP ? here - value < 512u || value - here < 512u : value == registers_first.out[number];
}

/* What is left of an earlier way back, which is of the task's own. */
static bool is_left(unsigned number, uint32_t value)
{
    return value == PATTERN(number) || (number == REGISTER_COUNTER && value <= SPIN);
}

/* Ways back: out of an interrupt each register is kept; a call may clear some, and a switch brings back the task's. */
enum kind { INTERRUPT, CALL, SWITCH };

/* After a call that returns `result` in one register, or in two; or after an interrupt. */
static void look(const char *way, enum kind kind, uint64_t result)
{
    bool kept = kind == INTERRUPT;
    bool right = true;
    for (unsigned number = 0; number < REGISTER_COUNT; number++) {
        uint32_t value = registers.out[number];
        bool may = value == registers.in[number] || (!kept && (value == 0 || is_left(number, value)));
        if ((REGISTERS_ZERO >> number & 1u) != 0) {
            may = value == 0;
        } else if ((REGISTERS_OWN >> number & 1u) != 0) {
            may = is_own(number, value);
        } else if (kind == CALL && (REGISTERS_CLEARED >> number & 1u) != 0) {
            may = value == 0;
        } else if (kept && number == REGISTER_COUNTER) {
            may = value == 0;
        } else if (!kept && number == REGISTER_RETURN) {
            may = value - (uint32_t)(uintptr_t)registers_call < 512u;
        } else if (!kept && number == REGISTER_NUMBER) {
            may = value < 128 || is_left(number, value);
        } else if (!kept && number - REGISTER_RESULT < 2) {
            may = value == (uint32_t)(result >> (number == REGISTER_RESULT ? 0 : 32));
        }
        if (!may) {
            print_wrong(way, number, value);
            right = false;
        }
    }
#ifdef FLAGS
    uint32_t flags = registers.out[REGISTERS - 1];
    if (flags != (kept ? FLAGS_SPUN : FLAGS)) {
        print_wrong(way, REGISTERS - 1, flags);
        right = false;
    }
#endif
    if (right) {
        print_right(way);
    }
}

/* At its start a task has what it was started with: its entry, its argument, and where it returns to. */
static void look_at_start(const char *way, const void *argument)
{
    bool right = true;
    for (unsigned number = 0; number < REGISTER_COUNT; number++) {
        uint32_t value = registers_first.out[number];
        bool may = value <= 1 || value == (uint32_t)(uintptr_t)spy_entry || value == (uint32_t)(uintptr_t)argument ||
                   value - (uint32_t)(uintptr_t)takt_user_main < 64u;
        if ((REGISTERS_ZERO >> number & 1u) != 0) {
            may = value == 0;
        } else if ((REGISTERS_OWN >> number & 1u) != 0) {
            uint32_t far = (uint32_t)(uintptr_t)&registers - value; /* in the process's memory */
            may = far < 8192u || -far < 8192u;
        }
        if (!may) {
            print_wrong(way, number, value);
            right = false;
        }
    }
    if (right) {
        print_right(way);
    }
}

static void call(const char *way, enum kind kind, void (*stub)(void), uint32_t argument, uint64_t result)
{
    plant();
    registers.in[REGISTER_RESULT] = argument;
    registers.in[REGISTER_RESULT + 1] = 0; /* of a time */
    registers_call(stub, &registers);
    look(way, kind, result);
}

static void spin(const char *way)
{
    plant();
    registers.in[REGISTER_COUNTER] = SPIN;
    registers_spin(&registers);
    look(way, INTERRUPT, 0);
}

/* The clock's result is not known before: both of its words are those of a time. */
static void call_now(void)
{
    plant();
    registers_call(STUB(takt_now), &registers);
    uint64_t found = (uint64_t)registers.out[REGISTER_RESULT + 1] << 32 | registers.out[REGISTER_RESULT];
    look("call of two words", CALL, takt_now() - found < TAKT_MS(1) ? found : 0);
}

static void ways(void)
{
    call("call", CALL, STUB(takt_semaphore_post), (uintptr_t)&counted, TAKT_OK);
    call("call that is refused", CALL, STUB(takt_semaphore_try_wait), (uintptr_t)&never, TAKT_BUSY);
    call_now();
    /* A delay returns nothing: there is what a wait begins with. */
    call("call that waits", SWITCH, STUB(takt_delay), TAKT_MS(3), TAKT_OK);
    call("call that wakes a better task", SWITCH, STUB(takt_semaphore_post), (uintptr_t)&wake, TAKT_OK);
    spin("interrupts"); /* `often` runs in them, and `seldom` is released */
    call("job", SWITCH, STUB(takt_job_wait), 0, 0);
    call("call that wakes a task that faults", SWITCH, STUB(takt_semaphore_post), (uintptr_t)&fail, TAKT_OK);
    takt_delay(TAKT_MS(20)); /* until its process has started again */
    takt_job_release_at(TASK_fails, takt_now() + TAKT_US(500));
    spin("fault of another in an interrupt");
}

void spy_main(void *argument)
{
    bool again = takt_now() > TAKT_MS(5);
    look_at_start(again ? "restart" : "start", argument);
    ways();
    if (!again) {
        plant();
        registers.in[REGISTER_RESULT] = 0; /* no handle of a semaphore: a fault */
        registers_call(STUB(takt_semaphore_post), &registers);
    }
    for (;;) {
        takt_job_wait();
    }
}
