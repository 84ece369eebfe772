/* SPDX-License-Identifier: Apache-2.0 */
/* Mailboxes, without priorities and with. */
#include "calls.h"

static uint32_t got_by[OTHERS_MAX][MESSAGE / 4];

static struct takt_mailbox mailbox;
static uint64_t storage[CAPACITY * MESSAGE / 8];

static void empty_setup(void)
{
    takt_mailbox_init(&mailbox, 1, storage, MESSAGE, CAPACITY, NULL);
}

static void full_setup(void)
{
    empty_setup();
    while (takt_mailbox_try_send(&mailbox, sent) == TAKT_OK) {
    }
}

static void half_setup(void)
{
    full_setup();
    (void)!takt_mailbox_try_receive(&mailbox, got);
}

static uint32_t sends(unsigned number)
{
    return takt_mailbox_send_until(&mailbox, sent, expiry(number));
}

static uint32_t receives(unsigned number)
{
    return takt_mailbox_receive_until(&mailbox, got_by[number], expiry(number));
}

DO(mailbox_init, takt_mailbox_init(&mailbox, 1, storage, MESSAGE, CAPACITY, NULL))
CALL(send, takt_mailbox_send(&mailbox, sent))
CALL(send_until, takt_mailbox_send_until(&mailbox, sent, worst_ns))
CALL(try_send, takt_mailbox_try_send(&mailbox, sent))
CALL(receive, takt_mailbox_receive(&mailbox, got))
CALL(receive_until, takt_mailbox_receive_until(&mailbox, got, worst_ns))
CALL(try_receive, takt_mailbox_try_receive(&mailbox, got))
CALL(mailbox_count, takt_mailbox_count(&mailbox))
DO(mailbox_delete, takt_mailbox_delete(&mailbox))

static const struct scenario mailboxes[] = {
    {"takt_mailbox_init", "", RETURNS, 0, 0, mailbox_init},
    {"takt_mailbox_send", "stored", RETURNS, TAKT_OK, 0, send, half_setup},
    {"takt_mailbox_send", "all wait to receive", WAKES, TAKT_OK, 1, send, empty_setup, receives},
    {"takt_mailbox_send", "last of the senders", BLOCKS, 0, 0, send, full_setup, sends},
    {"takt_mailbox_send_until", "stored", RETURNS, TAKT_OK, 0, send_until, half_setup},
    {"takt_mailbox_send_until", "all wait to receive", WAKES, TAKT_OK, 1, send_until, empty_setup, receives},
    {"takt_mailbox_send_until", "last of the senders", BLOCKS, 0, 0, send_until, full_setup, sends},
    {"takt_mailbox_try_send", "stored", RETURNS, TAKT_OK, 0, try_send, half_setup},
    {"takt_mailbox_try_send", "all wait to receive", WAKES, TAKT_OK, 1, try_send, empty_setup, receives},
    {"takt_mailbox_receive", "nobody waits", RETURNS, TAKT_OK, 0, receive, full_setup},
    {"takt_mailbox_receive", "all wait to send", WAKES, TAKT_OK, 1, receive, full_setup, sends},
    {"takt_mailbox_receive", "last of the receivers", BLOCKS, 0, 0, receive, empty_setup, receives},
    {"takt_mailbox_receive_until", "nobody waits", RETURNS, TAKT_OK, 0, receive_until, full_setup},
    {"takt_mailbox_receive_until", "all wait to send", WAKES, TAKT_OK, 1, receive_until, full_setup, sends},
    {"takt_mailbox_receive_until", "last of the receivers", BLOCKS, 0, 0, receive_until, empty_setup, receives},
    {"takt_mailbox_try_receive", "nobody waits", RETURNS, TAKT_OK, 0, try_receive, full_setup},
    {"takt_mailbox_try_receive", "all wait to send", WAKES, TAKT_OK, 1, try_receive, full_setup, sends},
    {"takt_mailbox_count", "", RETURNS, CAPACITY - 1, 0, mailbox_count, half_setup},
    {"takt_mailbox_delete", "all wait to receive", WAKES, 0, ALL, mailbox_delete, empty_setup, receives},
    {"takt_mailbox_delete", "all wait to send", WAKES, 0, ALL, mailbox_delete, full_setup, sends},
};

/* Messages of priority 1 are sorted in before the last of all, which has a worse one. */
static struct takt_priority_mailbox letters;
static uint64_t letter_storage[TAKT_PRIORITY_MAILBOX_BYTES(MESSAGE, CAPACITY) / 8];

static void arrival(const void *message)
{
    (void)message;
}

static void no_letters(void)
{
    takt_priority_mailbox_init(&letters, 2, letter_storage, MESSAGE, CAPACITY, arrival);
}

static void letters_full(void)
{
    no_letters();
    (void)!takt_priority_mailbox_try_send(&letters, sent, 2);
    while (takt_priority_mailbox_try_send(&letters, sent, 1) == TAKT_OK) {
    }
}

static void letters_many(void)
{
    letters_full();
    (void)!takt_priority_mailbox_try_receive(&letters, got);
}

static uint32_t posts(unsigned number)
{
    return takt_priority_mailbox_send_until(&letters, sent, 1, expiry(number));
}

static uint32_t fetches(unsigned number)
{
    return takt_priority_mailbox_receive_until(&letters, got_by[number], expiry(number));
}

DO(letters_init, takt_priority_mailbox_init(&letters, 2, letter_storage, MESSAGE, CAPACITY, arrival))
CALL(post, takt_priority_mailbox_send(&letters, sent, 1))
CALL(post_until, takt_priority_mailbox_send_until(&letters, sent, 1, worst_ns))
CALL(try_post, takt_priority_mailbox_try_send(&letters, sent, 1))
CALL(urgent, takt_priority_mailbox_send_urgent(&letters, sent))
CALL(urgent_until, takt_priority_mailbox_send_urgent_until(&letters, sent, worst_ns))
CALL(try_urgent, takt_priority_mailbox_try_send_urgent(&letters, sent))
CALL(letters_broadcast, takt_priority_mailbox_broadcast(&letters, sent) == others)
CALL(fetch, takt_priority_mailbox_receive(&letters, got))
CALL(fetch_until, takt_priority_mailbox_receive_until(&letters, got, worst_ns))
CALL(try_fetch, takt_priority_mailbox_try_receive(&letters, got))
DO(letters_delete, takt_priority_mailbox_delete(&letters))

static const struct scenario priority_mailboxes[] = {
    {"takt_priority_mailbox_init", "", RETURNS, 0, 0, letters_init},
    {"takt_priority_mailbox_send", "sorted in", RETURNS, TAKT_OK, 0, post, letters_many},
    {"takt_priority_mailbox_send", "all wait to receive", WAKES, TAKT_OK, 1, post, no_letters, fetches},
    {"takt_priority_mailbox_send", "last of the senders", BLOCKS, 0, 0, post, letters_full, posts},
    {"takt_priority_mailbox_send_until", "sorted in", RETURNS, TAKT_OK, 0, post_until, letters_many},
    {"takt_priority_mailbox_send_until", "all wait to receive", WAKES, TAKT_OK, 1, post_until, no_letters, fetches},
    {"takt_priority_mailbox_send_until", "last of the senders", BLOCKS, 0, 0, post_until, letters_full, posts},
    {"takt_priority_mailbox_try_send", "sorted in", RETURNS, TAKT_OK, 0, try_post, letters_many},
    {"takt_priority_mailbox_try_send", "all wait to receive", WAKES, TAKT_OK, 1, try_post, no_letters, fetches},
    {"takt_priority_mailbox_send_urgent", "stored", RETURNS, TAKT_OK, 0, urgent, letters_many},
    {"takt_priority_mailbox_send_urgent", "all wait to receive", WAKES, TAKT_OK, 1, urgent, no_letters, fetches},
    {"takt_priority_mailbox_send_urgent", "last of the senders", BLOCKS, 0, 0, urgent, letters_full, posts},
    {"takt_priority_mailbox_send_urgent_until", "stored", RETURNS, TAKT_OK, 0, urgent_until, letters_many},
    {"takt_priority_mailbox_send_urgent_until", "all wait to receive", WAKES, TAKT_OK, 1, urgent_until, no_letters,
     fetches},
    {"takt_priority_mailbox_send_urgent_until", "last of the senders", BLOCKS, 0, 0, urgent_until, letters_full, posts},
    {"takt_priority_mailbox_try_send_urgent", "stored", RETURNS, TAKT_OK, 0, try_urgent, letters_many},
    {"takt_priority_mailbox_try_send_urgent", "all wait to receive", WAKES, TAKT_OK, 1, try_urgent, no_letters,
     fetches},
    {"takt_priority_mailbox_broadcast", "all wait to receive", WAKES, true, ALL, letters_broadcast, no_letters,
     fetches},
    {"takt_priority_mailbox_receive", "nobody waits", RETURNS, TAKT_OK, 0, fetch, letters_full},
    {"takt_priority_mailbox_receive", "all wait to send", WAKES, TAKT_OK, 1, fetch, letters_full, posts},
    {"takt_priority_mailbox_receive", "last of the receivers", BLOCKS, 0, 0, fetch, no_letters, fetches},
    {"takt_priority_mailbox_receive_until", "nobody waits", RETURNS, TAKT_OK, 0, fetch_until, letters_full},
    {"takt_priority_mailbox_receive_until", "all wait to send", WAKES, TAKT_OK, 1, fetch_until, letters_full, posts},
    {"takt_priority_mailbox_receive_until", "last of the receivers", BLOCKS, 0, 0, fetch_until, no_letters, fetches},
    {"takt_priority_mailbox_try_receive", "nobody waits", RETURNS, TAKT_OK, 0, try_fetch, letters_full},
    {"takt_priority_mailbox_try_receive", "all wait to send", WAKES, TAKT_OK, 1, try_fetch, letters_full, posts},
    {"takt_priority_mailbox_delete", "all wait to receive", WAKES, 0, ALL, letters_delete, no_letters, fetches},
    {"takt_priority_mailbox_delete", "all wait to send", WAKES, 0, ALL, letters_delete, letters_full, posts},
};

void measure_mailboxes(void)
{
    MEASURE(mailboxes);
    MEASURE(priority_mailboxes);
}
