/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_HINT_H
#define TAKTI_HINT_H

/* Interface of next-lock hints to the other files. */
#include "takt/system.h"

/* Whether hints have an effect: not in a cooperative system, where no task waits, nor in a kernel compiled for size. */
#define TAKTI_HINTS (!TAKT_COOPERATIVE && !TAKT_SINGLE_PATH)

/* Functions of hint.c, called where hints are present. After all except `take` another task may be the best. */
struct takti_hints {
    bool (*ready)(struct takt_task *task);                                /* its wait is over: takti_make_ready */
    void (*hand_over)(struct takt_mutex *mutex, struct takt_task *owner); /* takti_mutex_hand_over */
    void (*take)(struct takt_mutex *mutex); /* the caller locks a mutex with RESERVED_OWNER */
    void (*overtake)(struct takt_mutex *mutex, struct takt_task **link, const struct takt_task *waiter); /* wait.c */
    void (*cancel)(struct takt_mutex *mutex);   /* the mutex is deleted and in no list */
    void (*rest)(const struct takt_task *task); /* it sleeps or is suspended: takti_on_owner_blocked */
    void (*wait)(const struct takt_task *task, const struct takt_task *owner); /* it waits for a mutex of `owner` */
};

#endif
