/* SPDX-License-Identifier: Apache-2.0 */
/* Two tasks, the second of which preempts the first between what it writes and what it reads. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "takt/board.h"
#include "takt_app.h"

static _Thread_local unsigned char first = 3;
static _Thread_local uint64_t count;
static _Thread_local int marked = 1234;

static void say(const char *text)
{
    takt_board_console_write(text, strlen(text));
}

static int holds(int error, unsigned char last, uint64_t jobs)
{
    return errno == error && first == last && count == jobs && marked == 1234;
}

void slow_job(void *argument)
{
    (void)argument;
    static int wrong;
    static unsigned jobs;
    wrong |= !holds(jobs == 0 ? 0 : ERANGE, jobs == 0 ? 3 : 7, jobs);
    first = 7;
    count++;
    errno = 0;
    (void)strtol("99999999999999999999", NULL, 10);
    wrong |= errno != ERANGE;
    takt_work(TAKT_MS(5));
    wrong |= !holds(ERANGE, 7, ++jobs);
    if (jobs == 2) {
        say(wrong ? "slow mixed\n" : "slow alone\n");
    }
}

void fast_job(void *argument)
{
    (void)argument;
    static int wrong;
    static unsigned jobs;
    wrong |= !holds(jobs == 0 ? 0 : EDOM, jobs == 0 ? 3 : 9, jobs);
    first = 9;
    count++;
    errno = EDOM;
    if (++jobs == 20) {
        say(wrong ? "fast mixed\n" : "fast alone\n");
    }
}
