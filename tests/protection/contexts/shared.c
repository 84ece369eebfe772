/* SPDX-License-Identifier: Apache-2.0 */
/* User mode: what both processes execute. */
#include "contexts.h"
#include "takt_port_inline.h"

TAKT_PORT_STUB(user_null, 0);
TAKT_PORT_STUB(user_wide, 1);
TAKT_PORT_STUB(user_post, 2);
TAKT_PORT_STUB(user_wait, 3);
TAKT_PORT_STUB(user_wait_until, 4);
TAKT_PORT_STUB(user_flush, 5);
TAKT_PORT_STUB(user_job_wait, 6);
TAKT_PORT_STUB(user_yield, 7);
TAKT_PORT_STUB(user_sleep_until, 8);
TAKT_PORT_STUB(user_exit, 9);
TAKT_PORT_STUB(user_now, 10);
TAKT_PORT_STUB(user_log, 11);
TAKT_PORT_STUB(user_check, 12);
TAKT_PORT_STUB(user_check_log, 13);
TAKT_PORT_STUB(user_post_at, 14);
TAKT_PORT_STUB(user_storm, 15);
TAKT_PORT_STUB(user_spin, 16);
TAKT_PORT_STUB(user_scenario, 17);
TAKT_PORT_STUB(user_command, 18);
TAKT_PORT_STUB(user_verdict, 19);
TAKT_PORT_STUB(user_finish, 20);
TAKT_PORT_STUB(user_stamp, 21);
TAKT_PORT_STUB(user_figure, 22);
TAKT_PORT_STUB(user_attach, 23);
_Static_assert(CALL_ATTACH == 23, "numbers in assembly are literals");

void takt_user_main(void (*entry)(void *argument), void *argument, uint32_t style);

void takt_user_main(void (*entry)(void *argument), void *argument, uint32_t style)
{
    (void)style;
    entry(argument);
    user_exit(0);
}
