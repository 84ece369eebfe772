/* SPDX-License-Identifier: Apache-2.0 */
#define OWN(name) name##_a
#include "thief.h"

static struct thief first, second, third, last;

void first_job_a(void *argument)
{
    struct takt_task *const others[] = {TASK_second_a, TASK_third_a};
    (void)argument;
    play(&first, 1, others, 2);
}

void second_job_a(void *argument)
{
    struct takt_task *const others[] = {TASK_third_a};
    (void)argument;
    play(&second, 2, others, 1);
}

void third_job_a(void *argument)
{
    struct takt_task *const others[] = {TASK_second_a};
    (void)argument;
    play(&third, 3, others, 1);
}

void last_job_a(void *argument) /* a background task */
{
    struct takt_task *const others[] = {TASK_second_a, TASK_third_a};
    (void)argument;
    for (;;) {
        play(&last, 4, others, 2);
        takt_delay(50 * US);
    }
}
