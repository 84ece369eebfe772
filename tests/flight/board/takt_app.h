/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_APP_H
#define TAKT_APP_H

/* Stands for the header that takt generates from apps/flight/system.toml. */
#include "takt/takt.h"

#include "messages.h"

extern struct takt_mutex navigation_lock;
extern struct takt_mutex transmit_lock;
extern struct takt_semaphore attitude_frame;
extern struct takt_semaphore position_frame;
extern struct takt_semaphore feedback_frame;
extern struct takt_semaphore command_frame;
extern struct takt_mailbox commands;

TAKT_MUST_USE static inline enum takt_status commands_try_send(const struct command_message *message)
{
    return takt_mailbox_try_send(&commands, message);
}

TAKT_MUST_USE static inline enum takt_status commands_try_receive(struct command_message *message)
{
    return takt_mailbox_try_receive(&commands, message);
}

void link_interrupt(void);
void control_job(void *argument);
void attitude_job(void *argument);
void position_job(void *argument);
void feedback_job(void *argument);
void command_job(void *argument);
void monitor_job(void *argument);

void takt_app_init(void);

#endif
