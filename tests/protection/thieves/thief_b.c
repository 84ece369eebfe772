/* SPDX-License-Identifier: Apache-2.0 */
#define OWN(name) name##_b
#include "thief.h"

static struct thief first, second, third, last;

void first_job_b(void *argument)
{
    struct takt_task *const others[] = {TASK_second_b, TASK_third_b};
    (void)argument;
    play(&first, 11, others, 2);
}

void second_job_b(void *argument)
{
    struct takt_task *const others[] = {TASK_third_b};
    (void)argument;
    play(&second, 12, others, 1);
}

void third_job_b(void *argument)
{
    struct takt_task *const others[] = {TASK_second_b};
    (void)argument;
    play(&third, 13, others, 1);
}

void last_job_b(void *argument) /* a background task */
{
    struct takt_task *const others[] = {TASK_second_b, TASK_third_b};
    (void)argument;
    for (;;) {
        play(&last, 14, others, 2);
        takt_delay(50 * US);
    }
}
