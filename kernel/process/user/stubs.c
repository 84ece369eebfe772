/* SPDX-License-Identifier: Apache-2.0 */
/* The stub of each call: a trap with its number. takt_trap_NAME is that of one of several words (multiword.c). */
#include "kernel/process/calls.h"
#include "takt_port_inline.h"

#define TAKTI_DIRECT_STUB(number, name) TAKT_PORT_STUB(takt_user_##name, number);
#define TAKTI_WIDE_STUB(number, name) TAKT_PORT_STUB(takt_trap_##name, number);
TAKTI_CALLS(TAKTI_DIRECT_STUB, TAKTI_WIDE_STUB)
