/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with more than four words, the rest of which is passed by address, or with more than one trap. Compiled as a
 * file of a process, with its names. */
#include "kernel/process/multiword.h"

#include "takt/pipe.h"
#include "takt/priority_mailbox.h"
#include "takt/process.h"
#include "takt/rendezvous.h"
#include "takt/signal.h"
#include "takt/slot.h"
#include "takt/task.h"

void takt_trap_task_statistics(const struct takt_task *task, struct takt_task_statistics *statistics);
enum takt_status takt_trap_priority_mailbox_send_until(struct takt_priority_mailbox *mailbox,
                                                       const struct takti_multiword_priority *wide);
enum takt_status takt_trap_pipe_write(struct takt_pipe *pipe, const void *bytes, struct takt_pipe_count *count);
enum takt_status takt_trap_pipe_write_until(struct takt_pipe *pipe, const struct takti_multiword_pipe *wide);
enum takt_status takt_trap_pipe_try_write(struct takt_pipe *pipe, const void *bytes, struct takt_pipe_count *count);
enum takt_status takt_trap_pipe_read(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count);
enum takt_status takt_trap_pipe_read_until(struct takt_pipe *pipe, const struct takti_multiword_pipe *wide);
enum takt_status takt_trap_pipe_try_read(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count);
enum takt_status takt_trap_rendezvous_call_until(struct takt_rendezvous *rendezvous,
                                                 const struct takti_multiword_rendezvous *wide);
enum takt_status takt_trap_signal_receive_until(struct takt_signal_queue *queue,
                                                const struct takti_multiword_signal *wide);
enum takt_status takt_trap_slot_reserve_until(struct takt_slot *slot, const struct takti_multiword_slot *wide);
void takt_trap_slot_info(const struct takt_slot *slot, struct takt_slot_info *info);
uintptr_t takt_trap_shared_attach(struct takt_shared *shared);

void takt_board_console_write(const char *text, size_t length); /* runner/include/takt/board.h */
void takt_trap_board_console_write(const char *text, size_t length);

void takt_board_console_write(const char *text, size_t length)
{
    for (size_t piece; length > 0; text += piece, length -= piece) {
        piece = length < TAKTI_CONSOLE_MAX ? length : TAKTI_CONSOLE_MAX;
        takt_trap_board_console_write(text, piece);
    }
}

struct takt_task_statistics takt_task_statistics(const struct takt_task *task)
{
    struct takt_task_statistics statistics;
    takt_trap_task_statistics(task, &statistics);
    return statistics;
}

enum takt_status takt_priority_mailbox_send_until(struct takt_priority_mailbox *mailbox, const void *message,
                                                  uint32_t priority, uint64_t until_ns)
{
    const struct takti_multiword_priority wide = {message, until_ns, priority};
    return takt_trap_priority_mailbox_send_until(mailbox, &wide);
}

/*
 * A transfer is made in pieces of one trap each: the next piece of `whole`, of which `done` bytes are moved. Invalid
 * counts are passed on, so that the trap refuses them.
 */
static struct takt_pipe_count pipe_piece(const struct takt_pipe_count *whole)
{
    uint32_t rest = whole->size - whole->done;
    uint32_t least = whole->least > whole->done ? whole->least - whole->done : 0;
    uint32_t size = rest < TAKT_PIPE_PIECE ? rest : TAKT_PIPE_PIECE;
    return (struct takt_pipe_count){.size = size, .least = least <= rest && least > size ? size : least};
}

/* After a piece: whether another follows. Not if only a part of it was possible. */
static bool pipe_goes_on(struct takt_pipe_count *whole, const struct takt_pipe_count *piece, enum takt_status status)
{
    whole->done += piece->done;
    return status == TAKT_OK && piece->done == piece->size && whole->done < whole->size;
}

enum takt_status takt_pipe_write(struct takt_pipe *pipe, const void *bytes, struct takt_pipe_count *count)
{
    struct takt_pipe_count piece;
    enum takt_status status;
    count->done = 0;
    do {
        piece = pipe_piece(count);
        status = takt_trap_pipe_write(pipe, (const uint8_t *)bytes + count->done, &piece);
    } while (pipe_goes_on(count, &piece, status));
    return status;
}

enum takt_status takt_pipe_write_until(struct takt_pipe *pipe, const void *bytes, struct takt_pipe_count *count,
                                       uint64_t until_ns)
{
    struct takt_pipe_count piece;
    enum takt_status status;
    count->done = 0;
    do {
        piece = pipe_piece(count);
        const struct takti_multiword_pipe wide = {(uint8_t *)(uintptr_t)bytes + count->done, &piece, until_ns};
        status = takt_trap_pipe_write_until(pipe, &wide);
    } while (pipe_goes_on(count, &piece, status));
    return status;
}

/* All of `least` or nothing: in the first piece. What follows is what is possible. */
enum takt_status takt_pipe_try_write(struct takt_pipe *pipe, const void *bytes, struct takt_pipe_count *count)
{
    if (count->least > TAKT_PIPE_PIECE) {
        return takt_trap_pipe_try_write(pipe, bytes, count); /* a fault */
    }
    struct takt_pipe_count piece;
    enum takt_status status;
    count->done = 0;
    do {
        piece = pipe_piece(count);
        status = takt_trap_pipe_try_write(pipe, (const uint8_t *)bytes + count->done, &piece);
    } while (pipe_goes_on(count, &piece, status));
    return status;
}

enum takt_status takt_pipe_read(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count)
{
    struct takt_pipe_count piece;
    enum takt_status status;
    count->done = 0;
    do {
        piece = pipe_piece(count);
        status = takt_trap_pipe_read(pipe, (uint8_t *)bytes + count->done, &piece);
    } while (pipe_goes_on(count, &piece, status));
    return status;
}

enum takt_status takt_pipe_read_until(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count,
                                      uint64_t until_ns)
{
    struct takt_pipe_count piece;
    enum takt_status status;
    count->done = 0;
    do {
        piece = pipe_piece(count);
        const struct takti_multiword_pipe wide = {(uint8_t *)bytes + count->done, &piece, until_ns};
        status = takt_trap_pipe_read_until(pipe, &wide);
    } while (pipe_goes_on(count, &piece, status));
    return status;
}

enum takt_status takt_pipe_try_read(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count)
{
    if (count->least > TAKT_PIPE_PIECE) {
        return takt_trap_pipe_try_read(pipe, bytes, count); /* a fault */
    }
    struct takt_pipe_count piece;
    enum takt_status status;
    count->done = 0;
    do {
        piece = pipe_piece(count);
        status = takt_trap_pipe_try_read(pipe, (uint8_t *)bytes + count->done, &piece);
    } while (pipe_goes_on(count, &piece, status));
    return status;
}

enum takt_status takt_rendezvous_call_until(struct takt_rendezvous *rendezvous, void *data, uint32_t size,
                                            uint64_t until_ns)
{
    const struct takti_multiword_rendezvous wide = {data, until_ns, size};
    return takt_trap_rendezvous_call_until(rendezvous, &wide);
}

enum takt_status takt_signal_receive_until(struct takt_signal_queue *queue, const struct takt_signal_filter *filter,
                                           struct takt_signal **signal, uint64_t until_ns)
{
    const struct takti_multiword_signal wide = {filter, signal, until_ns};
    return takt_trap_signal_receive_until(queue, &wide);
}

enum takt_status takt_slot_reserve_until(struct takt_slot *slot, uint32_t priority, void **buffer, uint64_t until_ns)
{
    const struct takti_multiword_slot wide = {buffer, until_ns, priority};
    return takt_trap_slot_reserve_until(slot, &wide);
}

struct takt_slot_info takt_slot_info(const struct takt_slot *slot)
{
    struct takt_slot_info info;
    takt_trap_slot_info(slot, &info);
    return info;
}

/* The process's copy has its data behind it: no trap. */
void *takt_signal_data(const struct takt_signal *signal)
{
    return (uint8_t *)(uintptr_t)signal + TAKT_SIGNAL_BYTES(0);
}

void *takt_shared_attach(struct takt_shared *shared)
{
    uintptr_t address;
    do { /* once per piece */
        address = takt_trap_shared_attach(shared);
    } while (address == TAKTI_SHARED_GOES_ON);
    return (void *)address;
}
