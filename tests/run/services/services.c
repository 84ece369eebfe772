/* SPDX-License-Identifier: Apache-2.0 */
/* maker makes one of everything that system.toml declares in each job, taker takes it and looks whether it is right. */
#include <string.h>

#include "takt/board.h"
#include "takt_app.h"

enum { STEPS = 8, IMPORTANT = 0, COMMON = 5 };

static uint32_t step;        /* maker's: jobs that it has begun, less one */
static uint32_t ready;       /* with `lock`: jobs that it has ended */
static uint32_t helped;      /* helper's: messages that it took */
static uint32_t passed;      /* between's: its jobs */
static uint32_t wishes_came; /* with the kernel locked */
static uint32_t lamps, onces, ticks;

static void require(bool right, const char *what)
{
    if (!right) {
        takt_board_console_write("services: not right: ", 21);
        takt_board_console_write(what, strlen(what));
        takt_board_console_write("\n", 1);
        takt_board_exit(1);
    }
}

#define REQUIRE(condition) require((condition), #condition)

static struct sample sample_of(uint32_t number)
{
    return (struct sample){number, number * number};
}

static bool is_sample(const struct sample *sample, uint32_t number)
{
    return sample->number == number && sample->square == number * number;
}

static void make_messages(const struct sample *sample)
{
    const uint8_t raw_item[SIZE_raw] = {1, 2, (uint8_t)sample->number};
    struct takt_pipe_count count = {.size = 5, .least = 5};
    newest_write(sample);
    REQUIRE(items_put(sample) == TAKT_OK);
    REQUIRE(takt_ring_put(&raw, raw_item, SIZE_raw) == TAKT_OK);
    REQUIRE(letters_try_send(sample) == TAKT_OK);
    REQUIRE(wishes_try_send(sample, COMMON) == TAKT_OK);
    struct sample before = sample_of(sample->number + 100);
    REQUIRE(wishes_try_send_urgent(&before) == TAKT_OK);
    REQUIRE(wishes_try_send(sample, COMMON) == TAKT_BUSY);
    REQUIRE(takt_pipe_try_write(&stream, "takt", &count) == TAKT_OK);
}

/* Common ones leave the last message to one that is important, which is taken first. */
static void make_orders(const struct sample *sample)
{
    struct sample *order;
    for (unsigned i = 0; i < 2; i++) {
        REQUIRE(orders_try_reserve(COMMON, &order) == TAKT_OK);
        *order = *sample;
        orders_commit(order);
    }
    REQUIRE(orders_try_reserve(COMMON, &order) == TAKT_BUSY);
    REQUIRE(orders_try_reserve(IMPORTANT, &order) == TAKT_OK);
    *order = sample_of(sample->number + 200);
    orders_commit(order);
}

static void make_signal(uint32_t number)
{
    struct takt_signal *signal = takt_signal_allocate(&signals, number);
    REQUIRE(signal != NULL);
    *signals_data(signal) = number + 300;
    takt_signal_send(&signal, &inbox);
}

/* helper allocates its slot in its first job. */
static void ask_for_help(void)
{
    void *message;
    if (step > 0) {
        REQUIRE(takt_slot_try_reserve(&urgent, 0, &message) == TAKT_OK);
        memset(message, (int)step, SIZE_urgent);
        takt_slot_commit(&urgent, message);
    }
    REQUIRE(takt_semaphore_post(&help) == TAKT_OK);
}

void maker_job(void *argument)
{
    const struct sample sample = sample_of(step);
    void *block = takt_pool_try_allocate(&blocks);
    (void)argument;
    REQUIRE(block != NULL);
    takt_pool_free(&blocks, block);
    make_messages(&sample);
    make_orders(&sample);
    make_signal(step);
    ask_for_help();
    takt_events_set(&flags, 1);
    REQUIRE(takt_semaphore_post(&made) == TAKT_OK);
    REQUIRE(takt_mutex_lock(&lock) == TAKT_OK);
    ready++;
    takt_condition_signal(&changed);
    takt_mutex_unlock(&lock);
    takt_watchdog_kick(&guard);
    step++;
}

void between_job(void *argument)
{
    (void)argument;
    passed++;
}

/* From its second job on a message gives it maker's level: it runs before between, which was released with maker. */
void helper_job(void *argument)
{
    void *message;
    (void)argument;
    if (takt_slot_info(&urgent).owner == NULL) {
        REQUIRE(urgent_allocate() == TAKT_OK);
        takt_slot_open(&urgent);
        return;
    }
    REQUIRE(takt_slot_try_take(&urgent, &message) == TAKT_OK);
    helped++;
    REQUIRE(((const uint8_t *)message)[SIZE_urgent - 1] == helped && passed == helped);
    REQUIRE(takt_slot_release(&urgent, message) == 0);
}

void wish_came(const struct sample *message)
{
    wishes_came += is_sample(message, message->number);
}

void lamp_came(struct takt_alarm *alarm)
{
    REQUIRE(alarm == &lamp && takt_task_running() == TASK_keeper);
    lamps++;
    if (lamps == 1) {
        REQUIRE(takt_alarm_start(&once, takt_now() + TAKT_MS(21)) == TAKT_OK);
    }
}

void once_came(struct takt_alarm *alarm)
{
    REQUIRE(alarm == &once && takt_task_running() == TASK_keeper);
    onces++;
}

void tick_came(struct takt_alarm *alarm)
{
    REQUIRE(alarm == &tick);
    ticks++;
}

static void take_messages(uint32_t number)
{
    struct sample sample;
    uint8_t raw_item[SIZE_raw];
    char bytes[5];
    struct takt_pipe_count count = {.size = sizeof bytes, .least = sizeof bytes};
    REQUIRE(newest_read(&sample) == TAKT_OK && is_sample(&sample, number));
    REQUIRE(newest_read_locked(&sample) == TAKT_OK && is_sample(&sample, number));
    REQUIRE(items_get(&sample) == TAKT_OK && is_sample(&sample, number));
    REQUIRE(items_get(&sample) == TAKT_EMPTY);
    REQUIRE(takt_ring_get(&raw, raw_item, SIZE_raw) == TAKT_OK && raw_item[2] == number);
    REQUIRE(letters_receive(&sample) == TAKT_OK && is_sample(&sample, number));
    REQUIRE(letters_try_receive(&sample) == TAKT_BUSY);
    REQUIRE(wishes_receive(&sample) == TAKT_OK && is_sample(&sample, number + 100));
    REQUIRE(wishes_receive_until(&sample, TAKT_FOREVER) == TAKT_OK && is_sample(&sample, number));
    REQUIRE(takt_pipe_read(&stream, bytes, &count) == TAKT_OK && strcmp(bytes, "takt") == 0);
}

static void take_orders(uint32_t number)
{
    const uint32_t numbers[] = {number + 200, number, number};
    struct sample *order;
    for (unsigned i = 0; i < 3; i++) {
        REQUIRE(orders_take(&order) == TAKT_OK && is_sample(order, numbers[i]));
        REQUIRE(orders_release(order) == 2 - i);
    }
    REQUIRE(orders_try_take(&order) == TAKT_BUSY);
}

static void take_signal(uint32_t number)
{
    struct takt_signal *signal;
    REQUIRE(takt_signal_receive(&inbox, NULL, &signal) == TAKT_OK);
    REQUIRE(signal->number == number && signal->sender == TASK_maker && *signals_data(signal) == number + 300);
    takt_signal_free(&signal);
}

static void wait_for(uint32_t number)
{
    struct takt_events_wanted wanted = {.flags = 1, .mode = TAKT_EVENTS_CLEAR};
    REQUIRE(takt_mutex_lock(&lock) == TAKT_OK);
    while (ready <= number) {
        REQUIRE(changed_wait() == TAKT_OK);
    }
    takt_mutex_unlock(&lock);
    REQUIRE(takt_semaphore_wait(&made) == TAKT_OK);
    REQUIRE(takt_events_wait(&flags, &wanted) == TAKT_OK && wanted.flags == 1);
}

void taker(void *argument)
{
    uint32_t called = 0;
    (void)argument;
    REQUIRE(orders_allocate() == TAKT_OK);
    takt_slot_open(&orders);
    for (uint32_t number = 0; number < STEPS; number++) {
        wait_for(number);
        take_messages(number);
        take_orders(number);
        take_signal(number);
        REQUIRE(takt_rendezvous_call(&counter, &called, sizeof called) == TAKT_OK && called == number + 1);
    }
    REQUIRE(wishes_came == 2 * STEPS && helped == STEPS - 1);
    REQUIRE(lamps == 4 && onces == 1 && ticks >= STEPS - 1 && takt_alarm_missed(&lamp) == 0);
    takt_board_console_write("services: right\n", 16);
    takt_run_finish();
}

void acceptor(void *argument)
{
    struct takt_rendezvous_accepted accepted;
    (void)argument;
    for (;;) {
        REQUIRE(takt_rendezvous_accept(&counter, &accepted) == TAKT_OK);
        ++*(uint32_t *)accepted.data;
        takt_rendezvous_complete(&accepted);
    }
}
