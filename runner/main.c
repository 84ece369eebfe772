/* SPDX-License-Identifier: Apache-2.0 */
/* The main of an application that defines none (docs/main.md): linked only then. */
#include "takt/board.h"

int main(void);

int main(void)
{
    takt_run_start();
}
