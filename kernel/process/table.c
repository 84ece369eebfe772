/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all calls, for a system that defines none of its own. */
#include "kernel/process/process.h"

TAKTI_CALLS(TAKTI_ENTRY_DECLARE, TAKTI_ENTRY_DECLARE)

const takti_call_entry takti_call_table[TAKTI_CALL_COUNT] = {TAKTI_CALLS(TAKTI_TABLE_ENTRY, TAKTI_TABLE_ENTRY)};
