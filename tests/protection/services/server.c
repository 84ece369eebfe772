/* SPDX-License-Identifier: Apache-2.0 */
/* The process that answers. */
#include "takt_app.h"

#include "services.h"
#include "takt/process.h"

#define MUST(condition)                                                \
    if (!(condition)) {                                                \
        takt_fault_raise(TAKT_FAULT_ASSERTION, __FILE__, __LINE__, 0); \
    }

static void answer_call(void)
{
    union exchanged buffer;
    struct takt_rendezvous_accepted accepted = {.data = &buffer};
    MUST(takt_rendezvous_accept(&exchange, &accepted) == TAKT_OK);
    MUST(accepted.size == sizeof(struct question));
    union exchanged *data = accepted.data;
    const struct question asked = data->question;
    data->answer = (struct answer){asked.left + asked.right, asked.left - asked.right};
    takt_rendezvous_complete(&accepted);
}

static void send_back(const struct takt_signal_filter *filter)
{
    struct takt_signal *signal;
    MUST(takt_signal_receive(&to_server, filter, &signal) == TAKT_OK);
    MUST(signal->sender == TASK_client);
    notes_data(signal)->sum++;
    takt_signal_send(&signal, &to_client);
}

static void answer_notes(void)
{
    static const uint32_t second[] = {2};
    const struct takt_signal_filter filter = {second, NULL, 1};
    send_back(&filter);
    send_back(NULL);
    send_back(NULL);
}

static void have_block(void)
{
    void *block = NULL;
    MUST(takt_pool_allocate(&blocks, &block) == TAKT_OK);
    *(uint32_t *)block = 99;
    takt_delay(TAKT_MS(5));
    takt_pool_free(&blocks, block);
}

static void take_order(uint32_t sum)
{
    struct answer *order = NULL;
    MUST(orders_take(&order) == TAKT_OK);
    MUST(order->sum == sum);
    (void)orders_release(order);
}

static void take_orders(void)
{
    struct answer *order = NULL;
    MUST(orders_allocate() == TAKT_OK);
    takt_slot_open(&orders);
    MUST(takt_semaphore_wait(&go) == TAKT_OK);
    take_order(30);
    take_order(50);
    (void)takt_slot_close(&orders);
    take_order(40); /* waits: it was reserved before */
    MUST(orders_try_take(&order) == TAKT_STATE);
    MUST(takt_slot_flush(&orders) == 0);
    MUST(takt_slot_deallocate(&orders) == TAKT_OK);
}

static void (*const services[])(void) = {answer_call, answer_call, answer_notes, have_block, take_orders};

void server_loop(void *argument)
{
    (void)argument;
    for (unsigned service = 0; service < sizeof services / sizeof *services; service++) {
        MUST(takt_semaphore_wait(&go) == TAKT_OK);
        services[service]();
    }
    for (;;) {
        (void)!takt_semaphore_wait(&go);
    }
}
