/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_HINT_H
#define TAKTI_HINT_H

/* Next-lock hints, as others find them. */
#include "kernel/core/ready.h"

/* Whether hints are heeded: not where nobody waits, and not by a kernel that is compiled for size. */
#define TAKTI_HINTS (!TAKT_COOPERATIVE && !TAKT_SINGLE_PATH)

/* What hint.c does where others find that there are hints. All but `take`: somebody else may be the best afterwards. */
struct takti_hints {
    bool (*ready)(struct takt_task *task);                                /* its wait is over: takti_make_ready */
    void (*hand_over)(struct takt_mutex *mutex, struct takt_task *owner); /* takti_mutex_hand_over */
    void (*take)(struct takt_mutex *mutex);                               /* the caller locks one of RESERVED_OWNER */
    void (*overtake)(struct takt_mutex *mutex, struct takt_task **link, const struct takt_task *waiter); /* wait.c */
    void (*cancel)(struct takt_mutex *mutex);   /* it is deleted, and in no list */
    void (*rest)(const struct takt_task *task); /* it sleeps or is suspended: takti_on_owner_blocked */
    void (*wait)(const struct takt_task *task, const struct takt_task *owner); /* it waits for a mutex of that one */
};

#endif
