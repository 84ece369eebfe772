/* SPDX-License-Identifier: Apache-2.0 */
/* A handler whose errno is that of interrupts, and of what runs before the start. */
#include <errno.h>
#include <string.h>

#include "takt/board.h"
#include "takt_app.h"

void takt_app_init(void)
{
    errno = EIO;
}

void ticks_handler(struct takt_alarm *alarm)
{
    (void)alarm;
    static int wrong;
    static int calls;
    wrong |= errno != (calls == 0 ? EIO : EBADF);
    errno = EBADF;
    if (++calls == 60) {
        const char *text = wrong ? "interrupts mixed\n" : "interrupts alone\n";
        takt_board_console_write(text, strlen(text));
    }
}
