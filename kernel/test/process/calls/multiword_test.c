/* SPDX-License-Identifier: Apache-2.0 */
/* Stubs of calls that are more than a trap, called as a process calls them; and what assert() is there. */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/process/multiword.h"

#include <string.h>

enum { TEXT = 2 * TAKTI_CONSOLE_MAX + 5 };

/* user/multiword.c and user/assert.c, whose names are those of a process. */
enum takt_status takt_user_pipe_write_until(uintptr_t pipe, const void *bytes, struct takt_pipe_count *count,
                                            uint64_t until_ns);
enum takt_status takt_user_pipe_read_until(uintptr_t pipe, void *bytes, struct takt_pipe_count *count,
                                           uint64_t until_ns);
enum takt_status takt_user_priority_mailbox_send_until(uintptr_t mailbox, const void *message, uint32_t priority,
                                                       uint64_t until_ns);
enum takt_status takt_user_signal_receive_until(uintptr_t queue, const void *filter, uintptr_t *signal,
                                                uint64_t until_ns);
void *takt_user_signal_data(uintptr_t signal);
enum takt_status takt_user_rendezvous_call_until(uintptr_t rendezvous, void *data, uint32_t size, uint64_t until_ns);
struct takt_task_statistics takt_user_task_statistics(uintptr_t task);
void takt_user_board_console_write(const char *text, size_t length);
_Noreturn void takt_user_assert_func(const char *file, int line, const char *function, const char *expression);
_Noreturn void takt_user_assert_fail(const char *expression, const char *file, unsigned line, const char *function);

void takt_board_console_write(const char *text, size_t length); /* the board's; here it keeps what it gets */

static char written[TEXT];
static size_t written_count;

void takt_board_console_write(const char *text, size_t length)
{
    CHECK(length <= TAKTI_CONSOLE_MAX && written_count + length <= TEXT);
    memcpy(written + written_count, text, length);
    written_count += length;
}

static void move_bytes(uint8_t *bytes)
{
    struct takt_pipe_count count = {.size = 3, .least = 3};
    memcpy(bytes, "abc", 3);
    CHECK_EQUAL(takt_user_pipe_write_until(world_handle(WORLD_PIPE), bytes, &count, TAKT_MS(5)), TAKT_OK);
    CHECK_EQUAL(takt_user_pipe_read_until(world_handle(WORLD_PIPE), bytes + 8, &count, TAKT_MS(5)), TAKT_OK);
    CHECK(memcmp(bytes + 8, "abc", 3) == 0);
    CHECK_EQUAL(takt_user_pipe_read_until(world_handle(WORLD_PIPE), bytes, &count, TAKT_MS(2)), TAKT_TIMEOUT);
}

static void send_messages(uint8_t *bytes)
{
    uintptr_t mailbox = world_handle(WORLD_PRIORITY_MAILBOX);
    for (uint8_t priority = 2; priority > 0; priority--) {
        memset(bytes, priority, MESSAGE);
        CHECK_EQUAL(takt_user_priority_mailbox_send_until(mailbox, bytes, priority, TAKT_MS(5)), TAKT_OK);
    }
    CHECK_EQUAL(CALL2(priority_mailbox_receive, mailbox, bytes), TAKT_OK);
    CHECK_EQUAL(bytes[0], 1); /* the better one, which came later */
    uintptr_t rendezvous = world_handle(WORLD_RENDEZVOUS);
    CHECK_EQUAL(takt_user_rendezvous_call_until(rendezvous, bytes, MESSAGE, TAKT_MS(3)), TAKT_TIMEOUT);
}

static void receive_signal(unsigned task)
{
    uintptr_t *variable = (uintptr_t *)world_buffer(0) + 32;
    (void)task;
    *variable = (uintptr_t)CALL2(signal_allocate, world_handle(WORLD_SIGNALS), 5);
    *(uint8_t *)takt_user_signal_data(*variable) = 77;
    (void)CALL2(signal_send, variable, world_handle(WORLD_QUEUE_A));
    CHECK_EQUAL(takt_user_signal_receive_until(world_handle(WORLD_QUEUE_A), NULL, variable, TAKT_MS(1)), TAKT_OK);
    CHECK_EQUAL(*(uint8_t *)takt_user_signal_data(*variable), 77);
    CHECK_EQUAL(takt_user_signal_receive_until(world_handle(WORLD_QUEUE_A), NULL, variable, TAKT_MS(1)), TAKT_TIMEOUT);
    note(true);
}

static void use_all(unsigned task)
{
    uint8_t *bytes = world_buffer(0);
    (void)task;
    move_bytes(bytes);
    send_messages(bytes);
#if TAKT_JOBS
    CHECK_EQUAL(takt_user_task_statistics(world_handle(PERIODIC)).jobs_completed, 1);
#endif
    for (unsigned letter = 0; letter < TEXT; letter++) {
        bytes[letter] = (uint8_t)('a' + letter % 26);
    }
    takt_user_board_console_write((const char *)bytes, TEXT);
    CHECK(written_count == TEXT && memcmp(written, bytes, TEXT) == 0);
    note(true);
    fault();
}

static void assert_in_newlib(unsigned task)
{
    (void)task;
    takt_user_assert_func("a.c", 41, "f", "x");
}

static void assert_in_picolibc(unsigned task)
{
    (void)task;
    sleep_to(2);
    takt_user_assert_fail("x", "b.c", 42, "f");
}

static void test_wide(void)
{
    fresh(0);
    written_count = 0;
    world.work[A + BACKGROUND] = use_all;
    world.work[A + PERIODIC] = receive_signal;
    world_run(9);
    CHECK_EQUAL(takt_process_faults.count, 1); /* the last call */
    CHECK_EQUAL(result_count, 2);
}

static void test_assert(void)
{
    fresh(0);
    world.work[A + BACKGROUND] = assert_in_newlib;
    world.work[B + BACKGROUND] = assert_in_picolibc;
    world_run(9);
    CHECK_EQUAL(takt_process_faults.count, 2);
    for (unsigned process = 0; process < 2; process++) {
        const struct takt_process_fault_record *record = &takt_process_faults.records[process];
        CHECK_EQUAL(record->process, process);
        CHECK_EQUAL(record->cause, TAKT_PROCESS_ASSERTION);
        CHECK_EQUAL(record->address, 41 + process);
    }
}

int main(void)
{
    test_assert();
    test_wide(); /* the last: its task leaves variables on a stack that the address sanitizer knows */
    return 0;
}
