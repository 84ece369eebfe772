/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of entries.c: processes that are started and stopped. */
#include "kernel/process/check.h"

#if TAKT_PROCESS_START
TAKTI_ENTRY(process_start, uintptr_t handle)
{
    struct takt_process *process = takti_object(handle, TAKT_OBJECT_PROCESS, TAKT_RIGHT_MANAGE);
    return process == NULL ? 0 : takt_process_start(process);
}

/* Perhaps the caller's own, which then does not return. */
TAKTI_ENTRY(process_stop, uintptr_t handle)
{
    struct takt_process *process = takti_object(handle, TAKT_OBJECT_PROCESS, TAKT_RIGHT_MANAGE);
    return process == NULL ? 0 : takt_process_stop(process);
}

TAKTI_ENTRY(process_stopped, uintptr_t handle)
{
    const struct takt_process *process = takti_object(handle, TAKT_OBJECT_PROCESS, TAKT_RIGHT_USE);
    return process != NULL && takt_process_stopped(process);
}
#endif
