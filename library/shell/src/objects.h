/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_SHELL_OBJECTS_H
#define TAKTI_SHELL_OBJECTS_H

/* The table of declared objects, which the build generates (shell_objects.c), and how an object of each kind is shown. */
#include <stdint.h>

#include "takt/takt.h"

struct takti_shell_object {
    const char *name;
    const void *object;
    void (*say)(const void *object); /* its kind and state */
};

extern const struct takti_shell_object takti_shell_objects[];
extern const uint16_t takti_shell_object_count;

/* One for each kind of declaration, which only a table that has the kind links. Context: task. O(1), locked O(1). */
void takti_shell_say_mutex(const void *object);
void takti_shell_say_ceiling(const void *object);
void takti_shell_say_semaphore(const void *object);
void takti_shell_say_mailbox(const void *object);
void takti_shell_say_state(const void *object);
void takti_shell_say_ring(const void *object);
void takti_shell_say_events(const void *object);
void takti_shell_say_pool(const void *object);
void takti_shell_say_alarm(const void *object);
void takti_shell_say_watchdog(const void *object);
void takti_shell_say_slot(const void *object);
void takti_shell_say_signal_pool(const void *object);
void takti_shell_say_signal_queue(const void *object);
void takti_shell_say_pipe(const void *object);
void takti_shell_say_priority_mailbox(const void *object);
void takti_shell_say_condition(const void *object);
void takti_shell_say_rendezvous(const void *object);
void takti_shell_say_alarm_queue(const void *object);

#endif
