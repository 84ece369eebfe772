/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of more than four words, the rest of which goes by address, or of more than one trap. Compiled as a file of a
 * process, with its names. */
#include "kernel/process/wide.h"

#include "takt/pipe.h"
#include "takt/priority_mailbox.h"
#include "takt/rendezvous.h"
#include "takt/task.h"

void takt_trap_task_statistics(const struct takt_task *task, struct takt_task_statistics *statistics);
enum takt_status takt_trap_priority_mailbox_send_until(struct takt_priority_mailbox *mailbox,
                                                       const struct takti_wide_priority *wide);
enum takt_status takt_trap_pipe_write_until(struct takt_pipe *pipe, const struct takti_wide_pipe *wide);
enum takt_status takt_trap_pipe_read_until(struct takt_pipe *pipe, const struct takti_wide_pipe *wide);
enum takt_status takt_trap_rendezvous_call_until(struct takt_rendezvous *rendezvous,
                                                 const struct takti_wide_rendezvous *wide);

void takt_board_console_write(const char *text, size_t length); /* boards/include/takt/board.h */
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
    const struct takti_wide_priority wide = {message, until_ns, priority};
    return takt_trap_priority_mailbox_send_until(mailbox, &wide);
}

enum takt_status takt_pipe_write_until(struct takt_pipe *pipe, const void *bytes, struct takt_pipe_count *count,
                                       uint64_t until_ns)
{
    const struct takti_wide_pipe wide = {(void *)(uintptr_t)bytes, count, until_ns};
    return takt_trap_pipe_write_until(pipe, &wide);
}

enum takt_status takt_pipe_read_until(struct takt_pipe *pipe, void *bytes, struct takt_pipe_count *count,
                                      uint64_t until_ns)
{
    const struct takti_wide_pipe wide = {bytes, count, until_ns};
    return takt_trap_pipe_read_until(pipe, &wide);
}

enum takt_status takt_rendezvous_call_until(struct takt_rendezvous *rendezvous, void *data, uint32_t size,
                                            uint64_t until_ns)
{
    const struct takti_wide_rendezvous wide = {data, until_ns, size};
    return takt_trap_rendezvous_call_until(rendezvous, &wide);
}
