/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_RTM_LIMITS_H
#define TAKT_RTM_LIMITS_H

/* How rtm.c uses the task manager's numbers; the tool knows them too (tools/takt/support/c/task_manager.py). */
enum {
    RECORDS_MIN = 16,
    TIME_SHIFT = 6,        /* the unit counts 2 to that ns */
    DEADLINE_SHIFT = 10,   /* a deadline is 2 to that ns in a key */
    ORDER = 0xFFFFFF,      /* a key's, compared with wrap */
    ORDER_SIGN = 0x800000, /* of a difference */
    LEVEL = 24             /* where a key has its level */
};

#endif
