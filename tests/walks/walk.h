/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WALK_H
#define WALK_H

/* Which functions a run enters, from walk_begin to walk_end. The program is compiled with -finstrument-functions. */
void walk_begin(void);
void walk_end(void);

/* Prints the address of each function that was entered, in the order of their first times, and ends the program. */
_Noreturn void walk_print(void);

#endif
