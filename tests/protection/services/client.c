/* SPDX-License-Identifier: Apache-2.0 */
/* The process that asks, and looks at what comes back. The console has the lines that were wrong. */
#include "takt_app.h"

#include "services.h"
#include "takt/board.h"
#include "takt/process.h"

static unsigned wrong;

static void print_line(unsigned line)
{
    char text[] = "services: line 0000 is wrong\n";
    for (unsigned index = 18; index > 14; index--, line /= 10) {
        text[index] = (char)('0' + line % 10);
    }
    takt_board_console_write(text, sizeof text - 1);
}

static void check_line(unsigned line, uint64_t found, uint64_t wanted)
{
    if (found != wanted) {
        wrong++;
        print_line(line);
    }
}
#define GIVES(call, wanted) check_line(__LINE__, (uint64_t)(call), (uint64_t)(wanted))

/* The server takes part in the next service, when the client waits. */
static void go_on(void)
{
    GIVES(takt_semaphore_post(&go), TAKT_OK);
}

static void rendezvous(void)
{
    union exchanged data = {.question = {30, 12, 99}};
    go_on();
    GIVES(takt_rendezvous_call(&exchange, &data, sizeof data.question), TAKT_OK); /* the call comes first */
    GIVES(data.answer.sum, 42);
    GIVES(data.answer.difference, 18);
    GIVES(data.question.unused, 99);
    go_on();
    takt_delay(TAKT_MS(2)); /* the acceptor waits */
    data = (union exchanged){.question = {5, 4, 98}};
    GIVES(takt_rendezvous_call_until(&exchange, &data, sizeof data.question, takt_now() + TAKT_MS(5)), TAKT_OK);
    GIVES(data.answer.sum, 9);
    GIVES(takt_rendezvous_call_until(&exchange, &data, 4, takt_now() + TAKT_MS(1)), TAKT_TIMEOUT);
}

static struct takt_signal *note_of(uint32_t number, uint32_t sum)
{
    struct takt_signal *signal = takt_signal_allocate(&notes, number);
    if (signal != NULL) {
        notes_data(signal)->sum = sum;
    }
    return signal;
}

/* The server sends each back with a sum that is larger by one; it asks for number 2 first. */
static void signals(void)
{
    static const uint32_t second[] = {7, 2};
    const struct takt_signal_filter filter = {second, TASK_server, 2};
    struct takt_signal *held[3] = {note_of(1, 100), note_of(2, 200), note_of(3, 300)};
    GIVES(held[0] != NULL && held[1] != NULL && held[2] != NULL, true);
    GIVES((uintptr_t)takt_signal_allocate(&notes, 4), 0);
    for (unsigned index = 0; index < 3; index++) {
        takt_signal_send(&held[index], &to_server);
        GIVES((uintptr_t)held[index], 0);
    }
    GIVES(takt_signal_try_receive(&to_client, NULL, &held[0]), TAKT_BUSY);
    go_on();
    GIVES(takt_signal_receive(&to_client, &filter, &held[0]), TAKT_OK); /* waits */
    GIVES(held[0]->number, 2);
    GIVES((uintptr_t)held[0]->sender, (uintptr_t)TASK_server);
    GIVES(notes_data(held[0])->sum, 201);
    takt_delay(TAKT_MS(2));
    GIVES(takt_signal_try_receive(&to_client, NULL, &held[1]), TAKT_OK);
    GIVES(held[1]->number, 1);
    GIVES(takt_signal_receive_until(&to_client, NULL, &held[2], takt_now() + TAKT_MS(1)), TAKT_OK);
    GIVES(notes_data(held[2])->sum, 301);
    takt_signal_free(&held[0]);
    takt_signal_free(&held[1]);
    GIVES(takt_signal_receive_until(&to_client, NULL, &held[0], takt_now() + TAKT_MS(1)), TAKT_TIMEOUT);
    takt_signal_free(&held[2]);
}

static volatile unsigned ticks;
static volatile bool of_tick;

/* Without protection the timer's interrupt calls it, with protection a task of this process. */
void tick_came(struct takt_alarm *alarm)
{
    of_tick = alarm == &tick && takt_alarm_missed(alarm) == 0;
    ticks++;
}

static void alarm_handled(void)
{
    unsigned before = ticks;
    takt_delay(TAKT_MS(25));
    GIVES(ticks - before >= 2 && ticks - before <= 3 && of_tick, true);
}

/* Buffers are filled, committed and taken where each process has them: the more urgent one first. */
static void slots(void)
{
    struct answer *first = NULL;
    struct answer *second = NULL;
    struct answer *third = NULL;
    GIVES(takt_slot_info(&orders).state, TAKT_SLOT_FREE);
    GIVES(orders_try_reserve(0, &first), TAKT_STATE);
    go_on();
    takt_delay(TAKT_MS(1)); /* it opens the slot, and waits for two signs of the client */
    GIVES(orders_try_reserve(5, &first), TAKT_OK);
    GIVES(orders_reserve(3, &second), TAKT_OK);
    GIVES(orders_try_reserve(0, &third), TAKT_BUSY);
    GIVES(orders_reserve_until(0, &third, takt_now() + TAKT_MS(1)), TAKT_TIMEOUT);
    first->sum = 50;
    second->sum = 30;
    orders_commit(first);
    orders_commit(second);
    const struct takt_slot_info info = takt_slot_info(&orders);
    GIVES(info.owner == TASK_server && info.reserved == 0 && info.committed == 2, true);
    go_on();
    GIVES(orders_reserve(4, &third), TAKT_OK); /* waits until the server has released one */
    third->sum = 40;
    takt_delay(TAKT_MS(2));
    orders_commit(third); /* the server waits for it, and has closed the slot */
    takt_delay(TAKT_MS(1));
    GIVES(orders_try_reserve(0, &first), TAKT_STATE);
    GIVES(takt_slot_info(&orders).state, TAKT_SLOT_FREE);
}

/* The server has the second block for a while. */
static void pools(void)
{
    uint32_t *mine = takt_pool_try_allocate(&blocks);
    void *other = NULL;
    GIVES(mine != NULL, true);
    mine[0] = 1;
    mine[3] = 4;
    go_on();
    takt_delay(TAKT_MS(1));
    GIVES((uintptr_t)takt_pool_try_allocate(&blocks), 0);
    GIVES(takt_pool_allocate_until(&blocks, &other, takt_now() + TAKT_MS(1)), TAKT_TIMEOUT);
    GIVES(takt_pool_allocate(&blocks, &other), TAKT_OK); /* waits for the server */
    GIVES(other != NULL && other != mine, true);
    GIVES(mine[0] + mine[3], 5);
    takt_pool_free(&blocks, other);
    takt_pool_free(&blocks, mine);
}

void client_loop(void *argument)
{
    (void)argument;
    rendezvous();
    signals();
    pools();
    slots();
    alarm_handled();
    static const char right[] = "services: all are right\n";
    if (wrong == 0) {
        takt_board_console_write(right, sizeof right - 1);
    }
    for (;;) {
        takt_job_wait();
    }
}
