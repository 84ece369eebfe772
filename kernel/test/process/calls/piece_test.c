/* SPDX-License-Identifier: Apache-2.0 */
/* What a call of a process is made of: a trap moves a piece at most, and the stubs make of pieces what the kernel does.
 */
#include "kernel/test/support/notes.h"
#include "kernel/test/support/world.h"

#include "kernel/process/multiword.h"

enum { CAPACITY = 512, LONG = 600 };

/* The stubs, by their names in a process. */
typedef enum takt_status stub_call(uintptr_t pipe, uint8_t *bytes, struct takt_pipe_count *count);
typedef enum takt_status stub_until(uintptr_t pipe, uint8_t *bytes, struct takt_pipe_count *count, uint64_t until_ns);
stub_call takt_user_pipe_write, takt_user_pipe_read, takt_user_pipe_try_write, takt_user_pipe_try_read;
stub_until takt_user_pipe_write_until, takt_user_pipe_read_until;

static uint8_t storage[CAPACITY];
static struct takt_pipe_count count; /* what the task under test wants; `done` of what it got */
static enum { WRITE, WRITE_UNTIL, TRY_WRITE, READ, READ_UNTIL, TRY_READ } how;

static uint8_t *bytes_of(unsigned process)
{
    return (uint8_t *)world_buffer(process) + 64;
}

static struct takt_pipe_count *count_of(unsigned process)
{
    return (struct takt_pipe_count *)world_buffer(process);
}

static enum takt_status call(unsigned process)
{
    uintptr_t pipe = world_handle(WORLD_PIPE);
    uint8_t *bytes = bytes_of(process);
    struct takt_pipe_count *whole = count_of(process);
    switch (how) {
    case WRITE:
        return takt_user_pipe_write(pipe, bytes, whole);
    case WRITE_UNTIL:
        return takt_user_pipe_write_until(pipe, bytes, whole, TAKT_MS(2));
    case TRY_WRITE:
        return takt_user_pipe_try_write(pipe, bytes, whole);
    case READ:
        return takt_user_pipe_read(pipe, bytes, whole);
    case READ_UNTIL:
        return takt_user_pipe_read_until(pipe, bytes, whole, TAKT_MS(2));
    default:
        return takt_user_pipe_try_read(pipe, bytes, whole);
    }
}

static void make_call(unsigned task)
{
    *count_of(0) = count;
    for (unsigned byte = 0; how <= TRY_WRITE && byte < LONG; byte++) {
        bytes_of(0)[byte] = (uint8_t)(byte * 7 / 3);
    }
    (void)task;
    note(call(0));
    note(count_of(0)->done);
    sleep_to(1000);
}

/* Another process, by the kernel's own calls: it moves so many bytes of the other side at 1 ms. */
static uint32_t other_size;

static void be_other_side(void *argument)
{
    static uint8_t bytes[LONG];
    struct takt_pipe_count whole = {.size = other_size, .least = other_size};
    (void)argument;
    (void)takt_delay_until(TAKT_MS(1));
    if (how <= TRY_WRITE) {
        CHECK_EQUAL(takt_pipe_read(&world.pipe, bytes, &whole), TAKT_OK);
        for (unsigned byte = 0; byte < other_size; byte++) {
            CHECK_EQUAL(bytes[byte], (uint8_t)(byte * 7 / 3));
        }
    } else {
        for (unsigned byte = 0; byte < other_size; byte++) {
            bytes[byte] = (uint8_t)(byte * 7 / 3);
        }
        CHECK_EQUAL(takt_pipe_write(&world.pipe, bytes, &whole), TAKT_OK);
    }
    (void)takt_delay_until(TAKT_MS(1000));
}

/* `done`: UINT32_MAX: the call is a fault. `other`: of the other side, or 0; `filled`: bytes in it before. */
static void check(uint32_t filled, uint32_t other, enum takt_status status, uint32_t done)
{
    fresh(0);
    takt_pipe_init(&world.pipe, 30, storage, CAPACITY);
    if (filled > 0) {
        for (unsigned byte = 0; byte < filled; byte++) {
            storage[byte] = (uint8_t)(byte * 7 / 3);
        }
        world.pipe.possible[false] = filled;
        world.pipe.possible[true] -= filled;
        world.pipe.offsets[true] = filled;
    }
    other_size = other;
    world.work[A + BACKGROUND] = make_call;
    if (other > 0) {
        world_kernel_task(B + BACKGROUND, be_other_side);
    }
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, done == UINT32_MAX ? 1 : 0);
    CHECK_EQUAL(result_count, done == UINT32_MAX ? 0 : 2);
    if (done != UINT32_MAX) {
        CHECK_EQUAL(results[0], status);
        CHECK_EQUAL(results[1], done);
        for (uint32_t byte = 0; how >= READ && byte < done; byte++) {
            CHECK_EQUAL(bytes_of(0)[byte], (uint8_t)(byte * 7 / 3));
        }
    }
}

static void want(uint32_t size, uint32_t least)
{
    count = (struct takt_pipe_count){.size = size, .least = least, .done = 77};
}

static void test_write(void)
{
    how = WRITE;
    want(LONG, LONG); /* it waits, in its third piece */
    check(0, LONG, TAKT_OK, LONG);
    want(LONG, 300); /* the rest that there is room for */
    check(0, 0, TAKT_OK, CAPACITY);
    want(LONG, 0);
    check(CAPACITY, 0, TAKT_OK, 0);
    want(100, 101);
    check(0, 0, TAKT_OK, UINT32_MAX);
    want(LONG, LONG + 1);
    check(0, 0, TAKT_OK, UINT32_MAX);
    want(0, 0);
    check(0, 0, TAKT_OK, UINT32_MAX);
    how = WRITE_UNTIL;
    want(LONG, LONG);
    check(0, LONG, TAKT_OK, LONG);
    check(0, 0, TAKT_TIMEOUT, CAPACITY);
}

static void test_read(void)
{
    how = READ;
    want(LONG, LONG);
    check(0, LONG, TAKT_OK, LONG);
    want(LONG, 1);
    check(256, 0, TAKT_OK, 256);
    check(300, 0, TAKT_OK, 300);
    how = READ_UNTIL;
    want(LONG, LONG);
    check(0, LONG, TAKT_OK, LONG);
    check(300, 0, TAKT_TIMEOUT, 300);
}

/* As much as can be required at once is a piece. */
static void test_try(void)
{
    how = TRY_WRITE;
    want(LONG, TAKT_PIPE_PIECE);
    check(0, 0, TAKT_OK, CAPACITY);
    check(CAPACITY - TAKT_PIPE_PIECE + 1, 0, TAKT_BUSY, 0);
    want(LONG, TAKT_PIPE_PIECE + 1);
    check(0, 0, TAKT_OK, UINT32_MAX);
    how = TRY_READ;
    want(LONG, TAKT_PIPE_PIECE);
    check(300, 0, TAKT_OK, 300);
    check(TAKT_PIPE_PIECE - 1, 0, TAKT_BUSY, 0);
    want(LONG, TAKT_PIPE_PIECE + 1);
    check(300, 0, TAKT_OK, UINT32_MAX);
}

enum { SHARED = 600 };
static uint8_t shared[SHARED];
void *takt_user_shared_attach(uintptr_t handle);

static void check_shared(uint32_t zeros)
{
    for (uint32_t byte = 0; byte < SHARED; byte++) {
        CHECK_EQUAL(shared[byte], byte < zeros ? 0 : 0xA5);
    }
}

/* It makes a piece, and goes no further. */
static void begin_attach(unsigned task)
{
    (void)task;
    CHECK_EQUAL(CALL1(shared_attach, world_handle(WORLD_SHARED)), TAKTI_SHARED_GOES_ON);
    check_shared(256);
    note(world.shared.users);
    sleep_to(1000);
}

static void attach_twice(unsigned task)
{
    (void)task;
    sleep_to(1);
    for (unsigned times = 0; times < 2; times++) {
        CHECK(takt_user_shared_attach(world_handle(WORLD_SHARED)) == shared);
        note(world.shared.users);
        check_shared(SHARED);
        memset(shared, 0xA5, SHARED);
        CHECK(takt_user_shared_attach(world_handle(WORLD_SHARED)) == shared); /* it has it: nothing is made */
        check_shared(0);
        (void)CALL1(shared_detach, world_handle(WORLD_SHARED));
        note(world.shared.users);
    }
    sleep_to(1000);
}

/* What one process began another goes on with. */
static void test_shared(void)
{
    fresh(0);
    memset(shared, 0xA5, SHARED);
    world.shared.region.base = (uintptr_t)shared;
    world.shared.region.size = SHARED;
    world.work[A + BACKGROUND] = begin_attach;
    world.work[B + BACKGROUND] = attach_twice;
    world_run(5);
    CHECK_EQUAL(takt_process_faults.count, 0);
    CHECK_EQUAL(result_count, 5);
    CHECK(results[0] == 0 && results[1] == 1 && results[2] == 0 && results[3] == 1 && results[4] == 0);
}

static uint32_t trapped; /* bytes that a trap is made for, past the stubs */

static void trap(unsigned task)
{
    (void)task;
    *count_of(0) = (struct takt_pipe_count){.size = trapped, .least = 0};
    note(CALL3(pipe_write, world_handle(WORLD_PIPE), bytes_of(0), count_of(0)));
    sleep_to(1000);
}

/* A process that makes its own traps gets no further. */
static void test_trap(void)
{
    for (trapped = TAKT_PIPE_PIECE; trapped <= TAKT_PIPE_PIECE + 1; trapped++) {
        fresh(0);
        world.work[A + BACKGROUND] = trap;
        world_run(5);
        CHECK_EQUAL(takt_process_faults.count, trapped == TAKT_PIPE_PIECE ? 0 : 1);
        CHECK_EQUAL(result_count, trapped == TAKT_PIPE_PIECE ? 1 : 0);
    }
}

int main(void)
{
    test_write();
    test_read();
    test_try();
    test_trap();
    test_shared();
    return 0;
}
