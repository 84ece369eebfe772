/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_APP_H
#define TAKT_APP_H

/* Replaces the header that takt generates from apps/flight/system.toml. */
#include "takt/takt.h"

#include "kept.h"
#include "link.h"
#include "messages.h"
#include "shared.h"

extern struct takt_mutex navigation_lock;
extern struct takt_mutex transmit_lock;
extern struct takt_semaphore attitude_frame;
extern struct takt_semaphore position_frame;
extern struct takt_semaphore feedback_frame;
extern struct takt_semaphore command_frame;
extern struct takt_mailbox commands;
extern struct takt_state commanded;
extern struct takt_state kept;
extern struct link serial;
extern struct flight_state state;

TAKT_MUST_USE static inline enum takt_status commands_try_send(const struct command_message *message)
{
    return takt_mailbox_try_send(&commands, message);
}

TAKT_MUST_USE static inline enum takt_status commands_try_receive(struct command_message *message)
{
    return takt_mailbox_try_receive(&commands, message);
}

static inline void commanded_write(const struct rotor_message *message)
{
    takt_state_write(&commanded, message, sizeof *message);
}

TAKT_MUST_USE static inline enum takt_status commanded_read(struct rotor_message *message)
{
    return takt_state_read(&commanded, message, sizeof *message);
}

static inline void kept_write(const struct kept_control *message)
{
    takt_state_write(&kept, message, sizeof *message);
}

TAKT_MUST_USE static inline enum takt_status kept_read(struct kept_control *message)
{
    return takt_state_read(&kept, message, sizeof *message);
}

void link_interrupt(void);
void control_job(void *argument);
void attitude_job(void *argument);
void position_job(void *argument);
void feedback_job(void *argument);
void command_job(void *argument);
void monitor_job(void *argument);

#endif
