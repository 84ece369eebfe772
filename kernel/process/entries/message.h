/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of entries.c: mailboxes, pipes, state messages, the console. */
#include "kernel/process/check.h"

#include <string.h>

static struct takt_mailbox *mailbox_to(uintptr_t handle, const void *message)
{
    struct takt_mailbox *mailbox = takti_object(handle, TAKT_OBJECT_MAILBOX, TAKT_RIGHT_GIVE);
    return mailbox != NULL && takti_readable(message, mailbox->message_size, 1) ? mailbox : NULL;
}

static struct takt_mailbox *mailbox_from(uintptr_t handle, const void *message)
{
    struct takt_mailbox *mailbox = takti_object(handle, TAKT_OBJECT_MAILBOX, TAKT_RIGHT_USE);
    return mailbox != NULL && takti_writable(message, mailbox->message_size, 1) ? mailbox : NULL;
}

TAKTI_ENTRY(mailbox_send, uintptr_t handle, const void *message)
{
    struct takt_mailbox *mailbox = mailbox_to(handle, message);
    return mailbox == NULL ? 0 : takt_mailbox_send(mailbox, message);
}

TAKTI_ENTRY(mailbox_send_until, uintptr_t handle, const void *message, uint64_t until_ns)
{
    struct takt_mailbox *mailbox = mailbox_to(handle, message);
    return mailbox == NULL ? 0 : takt_mailbox_send_until(mailbox, message, until_ns);
}

TAKTI_ENTRY(mailbox_try_send, uintptr_t handle, const void *message)
{
    struct takt_mailbox *mailbox = mailbox_to(handle, message);
    return mailbox == NULL ? 0 : takt_mailbox_try_send(mailbox, message);
}

TAKTI_ENTRY(mailbox_receive, uintptr_t handle, void *message)
{
    struct takt_mailbox *mailbox = mailbox_from(handle, message);
    return mailbox == NULL ? 0 : takt_mailbox_receive(mailbox, message);
}

TAKTI_ENTRY(mailbox_receive_until, uintptr_t handle, void *message, uint64_t until_ns)
{
    struct takt_mailbox *mailbox = mailbox_from(handle, message);
    return mailbox == NULL ? 0 : takt_mailbox_receive_until(mailbox, message, until_ns);
}

TAKTI_ENTRY(mailbox_try_receive, uintptr_t handle, void *message)
{
    struct takt_mailbox *mailbox = mailbox_from(handle, message);
    return mailbox == NULL ? 0 : takt_mailbox_try_receive(mailbox, message);
}

TAKTI_ENTRY(mailbox_count, uintptr_t handle)
{
    const struct takt_mailbox *mailbox = takti_object(handle, TAKT_OBJECT_MAILBOX, TAKT_RIGHT_USE);
    return mailbox == NULL ? 0 : takt_mailbox_count(mailbox);
}

TAKTI_ENTRY(mailbox_delete, uintptr_t handle)
{
    struct takt_mailbox *mailbox = takti_object(handle, TAKT_OBJECT_MAILBOX, TAKT_RIGHT_MANAGE);
    if (mailbox != NULL) {
        takt_mailbox_delete(mailbox);
    }
    return 0;
}

static struct takt_priority_mailbox *priority_to(uintptr_t handle, const void *message)
{
    struct takt_priority_mailbox *mailbox = takti_object(handle, TAKT_OBJECT_PRIORITY_MAILBOX, TAKT_RIGHT_GIVE);
    return mailbox != NULL && takti_readable(message, mailbox->message_size, 1) ? mailbox : NULL;
}

static struct takt_priority_mailbox *priority_from(uintptr_t handle, const void *message)
{
    struct takt_priority_mailbox *mailbox = takti_object(handle, TAKT_OBJECT_PRIORITY_MAILBOX, TAKT_RIGHT_USE);
    return mailbox != NULL && takti_writable(message, mailbox->message_size, 1) ? mailbox : NULL;
}

TAKTI_ENTRY(priority_mailbox_send, uintptr_t handle, const void *message, uint32_t priority)
{
    struct takt_priority_mailbox *mailbox = priority_to(handle, message);
    return mailbox == NULL ? 0 : takt_priority_mailbox_send(mailbox, message, priority);
}

TAKTI_ENTRY(priority_mailbox_send_until, uintptr_t handle, const struct takti_multiword_priority *wide)
{
    if (!takti_readable(wide, sizeof *wide, _Alignof(struct takti_multiword_priority))) {
        return 0;
    }
    const struct takti_multiword_priority given = *wide;
    struct takt_priority_mailbox *mailbox = priority_to(handle, given.message);
    return mailbox == NULL ? 0
                           : takt_priority_mailbox_send_until(mailbox, given.message, given.priority, given.until_ns);
}

TAKTI_ENTRY(priority_mailbox_try_send, uintptr_t handle, const void *message, uint32_t priority)
{
    struct takt_priority_mailbox *mailbox = priority_to(handle, message);
    return mailbox == NULL ? 0 : takt_priority_mailbox_try_send(mailbox, message, priority);
}

TAKTI_ENTRY(priority_mailbox_send_urgent, uintptr_t handle, const void *message)
{
    struct takt_priority_mailbox *mailbox = priority_to(handle, message);
    return mailbox == NULL ? 0 : takt_priority_mailbox_send_urgent(mailbox, message);
}

TAKTI_ENTRY(priority_mailbox_send_urgent_until, uintptr_t handle, const void *message, uint64_t until_ns)
{
    struct takt_priority_mailbox *mailbox = priority_to(handle, message);
    return mailbox == NULL ? 0 : takt_priority_mailbox_send_urgent_until(mailbox, message, until_ns);
}

TAKTI_ENTRY(priority_mailbox_try_send_urgent, uintptr_t handle, const void *message)
{
    struct takt_priority_mailbox *mailbox = priority_to(handle, message);
    return mailbox == NULL ? 0 : takt_priority_mailbox_try_send_urgent(mailbox, message);
}

TAKTI_ENTRY(priority_mailbox_broadcast, uintptr_t handle, const void *message)
{
    struct takt_priority_mailbox *mailbox = priority_to(handle, message);
    return mailbox == NULL ? 0 : takt_priority_mailbox_broadcast(mailbox, message);
}

TAKTI_ENTRY(priority_mailbox_receive, uintptr_t handle, void *message)
{
    struct takt_priority_mailbox *mailbox = priority_from(handle, message);
    return mailbox == NULL ? 0 : takt_priority_mailbox_receive(mailbox, message);
}

TAKTI_ENTRY(priority_mailbox_receive_until, uintptr_t handle, void *message, uint64_t until_ns)
{
    struct takt_priority_mailbox *mailbox = priority_from(handle, message);
    return mailbox == NULL ? 0 : takt_priority_mailbox_receive_until(mailbox, message, until_ns);
}

TAKTI_ENTRY(priority_mailbox_try_receive, uintptr_t handle, void *message)
{
    struct takt_priority_mailbox *mailbox = priority_from(handle, message);
    return mailbox == NULL ? 0 : takt_priority_mailbox_try_receive(mailbox, message);
}

TAKTI_ENTRY(priority_mailbox_delete, uintptr_t handle)
{
    struct takt_priority_mailbox *mailbox = takti_object(handle, TAKT_OBJECT_PRIORITY_MAILBOX, TAKT_RIGHT_MANAGE);
    if (mailbox != NULL) {
        takt_priority_mailbox_delete(mailbox);
    }
    return 0;
}

/* A pipe of which the running task may write or read that number of bytes at once: in one trap, in which no task is
 * switched. */
static struct takt_pipe *pipe_for(uintptr_t handle, const void *bytes, struct takt_pipe_count *count, bool in)
{
    struct takt_pipe *pipe = takti_object(handle, TAKT_OBJECT_PIPE, in ? TAKT_RIGHT_GIVE : TAKT_RIGHT_USE);
    if (pipe == NULL || !takti_writable(count, sizeof *count, _Alignof(struct takt_pipe_count)) ||
        !takti_required(count->size > 0 && count->size <= TAKT_PIPE_PIECE, count->size) ||
        !takti_required(count->least <= count->size, count->least)) {
        return NULL;
    }
    return (in ? takti_readable(bytes, count->size, 1) : takti_writable(bytes, count->size, 1)) ? pipe : NULL;
}

TAKTI_ENTRY(pipe_write, uintptr_t handle, const void *bytes, struct takt_pipe_count *count)
{
    struct takt_pipe *pipe = pipe_for(handle, bytes, count, true);
    return pipe == NULL ? 0 : takt_pipe_write(pipe, bytes, count);
}

TAKTI_ENTRY(pipe_write_until, uintptr_t handle, const struct takti_multiword_pipe *wide)
{
    if (!takti_readable(wide, sizeof *wide, _Alignof(struct takti_multiword_pipe))) {
        return 0;
    }
    const struct takti_multiword_pipe given = *wide;
    struct takt_pipe *pipe = pipe_for(handle, given.bytes, given.count, true);
    return pipe == NULL ? 0 : takt_pipe_write_until(pipe, given.bytes, given.count, given.until_ns);
}

TAKTI_ENTRY(pipe_try_write, uintptr_t handle, const void *bytes, struct takt_pipe_count *count)
{
    struct takt_pipe *pipe = pipe_for(handle, bytes, count, true);
    return pipe == NULL ? 0 : takt_pipe_try_write(pipe, bytes, count);
}

TAKTI_ENTRY(pipe_read, uintptr_t handle, void *bytes, struct takt_pipe_count *count)
{
    struct takt_pipe *pipe = pipe_for(handle, bytes, count, false);
    return pipe == NULL ? 0 : takt_pipe_read(pipe, bytes, count);
}

TAKTI_ENTRY(pipe_read_until, uintptr_t handle, const struct takti_multiword_pipe *wide)
{
    if (!takti_readable(wide, sizeof *wide, _Alignof(struct takti_multiword_pipe))) {
        return 0;
    }
    const struct takti_multiword_pipe given = *wide;
    struct takt_pipe *pipe = pipe_for(handle, given.bytes, given.count, false);
    return pipe == NULL ? 0 : takt_pipe_read_until(pipe, given.bytes, given.count, given.until_ns);
}

TAKTI_ENTRY(pipe_try_read, uintptr_t handle, void *bytes, struct takt_pipe_count *count)
{
    struct takt_pipe *pipe = pipe_for(handle, bytes, count, false);
    return pipe == NULL ? 0 : takt_pipe_try_read(pipe, bytes, count);
}

TAKTI_ENTRY(pipe_delete, uintptr_t handle)
{
    struct takt_pipe *pipe = takti_object(handle, TAKT_OBJECT_PIPE, TAKT_RIGHT_MANAGE);
    if (pipe != NULL) {
        takt_pipe_delete(pipe);
    }
    return 0;
}

/*
 * As takt_state_read. Locked, so the writer, a task, cannot run, and marks are not checked. The destination in the
 * process may have any alignment.
 */
TAKTI_ENTRY(state_read_locked, uintptr_t handle, void *message, uint32_t size)
{
    const struct takt_state *state = takti_object(handle, TAKT_OBJECT_STATE, TAKT_RIGHT_USE);
    if (state == NULL || !takti_required(size == state->size, size) || !takti_writable(message, size, 1)) {
        return 0;
    }
    uintptr_t newest = takt_word_acquire(&TAKTI_STATE_NEWEST(state));
    if (TAKTI_STATE_FITS(size)) {
        memcpy(message, &newest, size);
        return TAKT_OK;
    }
    uintptr_t copy = newest % TAKTI_STATE_DEPTH_MAX;
    if (!TAKTI_STATE_HAS(state, copy)) {
        return TAKT_OVERTAKEN;
    }
    memcpy(message, TAKTI_STATE_FIRST(state) + copy * (TAKTI_STATE_STRIDE(size) / TAKT_WORD_SIZE) + 1, size);
    return TAKT_OK;
}

/* boards/: the console is the same for processes. Absent in a kernel without a board. */
__attribute__((weak)) void takt_board_console_write(const char *text, size_t length)
{
    (void)text;
    (void)length;
}

__attribute__((weak)) size_t takt_board_link_exchange(const uint8_t *transmit, size_t length, uint8_t *receive,
                                                      size_t capacity)
{
    (void)transmit;
    (void)length;
    (void)receive;
    (void)capacity;
    return 0;
}

/* Whether the running process has that right to the board, and the size is at most that of a trap. */
static bool board_may(enum takt_board_right right, size_t size, size_t size_max)
{
    return takti_required((takti_process_running()->config->board & right) != 0, right) &&
           takti_required(size <= size_max, size);
}

/*
 * These two take long and do not use the kernel: they run unlocked, and interrupts may stop the caller meanwhile. Its
 * memory is unchanged until the end of the trap (restart_call in process.c).
 */
TAKTI_ENTRY(board_console_write, const char *text, size_t length)
{
    if (board_may(TAKT_BOARD_CONSOLE, length, TAKTI_CONSOLE_MAX) && takti_readable(text, length, 1)) {
        takt_port_leave(TAKT_PORT_ENTERED);
        takt_board_console_write(text, length);
        (void)takt_port_enter();
    }
    return 0;
}

TAKTI_ENTRY(board_link_exchange, const uint8_t *transmit, size_t length, uint8_t *receive, size_t capacity)
{
    size_t received = 0;
    if (board_may(TAKT_BOARD_SERIAL, length > capacity ? length : capacity, TAKTI_SERIAL_MAX) &&
        takti_readable(transmit, length, 1) && takti_writable(receive, capacity, 1)) {
        takt_port_leave(TAKT_PORT_ENTERED);
        received = takt_board_link_exchange(transmit, length, receive, capacity);
        (void)takt_port_enter();
    }
    return received;
}
