/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of entries.c: memory, shared memory, devices, interrupts. */
#include "kernel/process/check.h"

#include <string.h>

TAKTI_ENTRY(memory_alloc, uint32_t size)
{
    return (uintptr_t)takti_quota_memory(takti_quota_running(), size);
}

/* The region of the running process at `base`, of those that it has besides its declared ones; or NULL. */
static struct takt_region *region_at(struct takt_process *process, uintptr_t base)
{
    for (unsigned slot = process->config->region_count; slot < process->region_count; slot++) {
        if (process->regions[slot].base == base) {
            return &process->regions[slot];
        }
    }
    return NULL;
}

/* Adds `region` to the process, if the protection unit can describe it. */
static bool region_add(struct takt_process *process, const struct takt_region *region)
{
    if (process->region_count == TAKT_PROCESS_REGIONS) {
        return false;
    }
    process->regions[process->region_count] = *region;
    if (!takt_port_map_make(&process->map, process->regions, process->region_count + 1u)) {
        return false;
    }
    process->region_count++;
    takt_port_map_changed();
    return true;
}

TAKTI_ENTRY(shared_attach, uintptr_t handle)
{
    struct takt_shared *shared = takti_object(handle, TAKT_OBJECT_SHARED, TAKT_RIGHT_USE);
    struct takt_process *process = takti_process_running();
    if (shared == NULL) {
        return 0;
    }
    struct takt_region region = shared->region;
    if ((process->rights[handle & UINT16_MAX] & TAKT_RIGHT_GIVE) == 0) {
        region.access = TAKT_ACCESS_READ;
    }
    if (region_at(process, region.base) == NULL) {
        if (shared->users == 0 && !takti_shared_make(shared)) {
            return TAKTI_SHARED_GOES_ON;
        }
        if (!region_add(process, &region)) {
            return 0;
        }
        shared->users++;
    }
    return region.base;
}

TAKTI_ENTRY(shared_detach, uintptr_t handle)
{
    struct takt_shared *shared = takti_object(handle, TAKT_OBJECT_SHARED, TAKT_RIGHT_USE);
    struct takt_process *process = takti_process_running();
    struct takt_region *region = shared == NULL ? NULL : region_at(process, shared->region.base);
    if (region != NULL) {
        process->region_count--;
        for (; region < &process->regions[process->region_count]; region++) {
            *region = region[1];
        }
        shared->users--;
        (void)takt_port_map_make(&process->map, process->regions, process->region_count); /* as with one more */
        takt_port_map_changed();
    }
    return 0;
}

TAKTI_ENTRY(device_map, uintptr_t handle)
{
    const struct takt_region *device = takti_object(handle, TAKT_OBJECT_DEVICE, TAKT_RIGHT_USE);
    struct takt_process *process = takti_process_running();
    if (device == NULL || (region_at(process, device->base) == NULL && !region_add(process, device))) {
        return 0;
    }
    return device->base;
}

TAKTI_ENTRY(irq_attach, uintptr_t handle)
{
    struct takt_process_interrupt *interrupt = takti_object(handle, TAKT_OBJECT_INTERRUPT, TAKT_RIGHT_USE);
    if (interrupt == NULL) {
        return 0;
    }
    if (interrupt->attached != UINT8_MAX) {
        return TAKT_STATE;
    }
    interrupt->attached = takti_process_running()->config->index;
    takt_port_irq_attach(interrupt->number, interrupt->handler, true);
    takt_port_irq_mask(interrupt->number, false);
    return TAKT_OK;
}

TAKTI_ENTRY(irq_ack, uintptr_t handle)
{
    struct takt_process_interrupt *interrupt = takti_object(handle, TAKT_OBJECT_INTERRUPT, TAKT_RIGHT_USE);
    struct takt_process *process = takti_process_running();
    if (interrupt == NULL || !takti_required(interrupt->task == takti_kernel.ready.running, handle)) {
        return 0;
    }
    if (interrupt->attached == process->config->index && !interrupt->acknowledged) {
        interrupt->acknowledged = true;
        interrupt->next = process->acknowledged;
        process->acknowledged = interrupt;
    }
    return 0;
}

/*
 * At the end of the running task's job: unmasks the lines that it acknowledged. Not earlier, since a line that a device
 * holds would interrupt at each acknowledgement, for which no task is charged; so interrupts are at most as many as
 * jobs. O(acknowledged lines of the process).
 */
static inline void interrupts_open(void)
{
    struct takt_process_interrupt **link = &takti_process_running()->acknowledged;
    while (*link != NULL) {
        struct takt_process_interrupt *interrupt = *link;
        if (interrupt->task == takti_kernel.ready.running) {
            *link = interrupt->next;
            interrupt->acknowledged = false;
            takt_port_irq_mask(interrupt->number, false);
        } else {
            link = &interrupt->next;
        }
    }
}
