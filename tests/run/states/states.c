/* SPDX-License-Identifier: Apache-2.0 */
/* Every access to a word that is shared takes time, so that writes come in the middle of a read. */
#include <stdint.h>

static void step(void);
#define TAKTB_WORD_STEP() step()

#include <string.h>

#include "takt/board.h"
#include "takt_app.h"

enum { WRITE_STEP_NS = 50000, READ_STEP_NS = 2100000, LOCKED_STEP_NS = 30000, WRITES = 1 };

static void step(void)
{
    const struct takt_task *task = takt_task_running();
    takt_work(task == TASK_control ? WRITE_STEP_NS : task == TASK_monitor ? READ_STEP_NS : LOCKED_STEP_NS);
}

static void require(bool right, const char *what)
{
    if (!right) {
        takt_board_console_write(what, strlen(what));
        takt_board_exit(1);
    }
}

void control_job(void *argument)
{
    static uint64_t count;
    struct pose pose;
    (void)argument;
    for (unsigned i = 0; i < WRITES; i++) {
        count++;
        for (unsigned word = 0; word < 8; word++) {
            pose.words[word] = count;
        }
        pose_write(&pose);
    }
}

static void look(void)
{
    struct pose pose;
    if (pose_read(&pose) != TAKT_OK) {
        return; /* the run counts it */
    }
    for (unsigned word = 1; word < 8; word++) {
        require(pose.words[word] == pose.words[0], "states: torn\n");
    }
}

void monitor_job(void *argument)
{
    (void)argument;
    look();
}

void idler(void *argument)
{
    (void)argument;
    for (;;) {
        look();
        takt_work(TAKT_US(100));
    }
}
