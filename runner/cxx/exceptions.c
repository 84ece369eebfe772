/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With the C++ standard library: exceptions of tasks that preempt each other. It stands in for what the library has for
 * one thread (eh_globals, eh_alloc) and for its end of a program. The heap is the declared one, and what does not fit
 * into it, as std::bad_alloc does, into a reserve of the task's own.
 */
#include "runner/cxx/exceptions.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/core/kernel.h"

struct type { /* std::type_info */
    const void *table;
    const char *name;
};

struct takti_cxx_globals *__cxa_get_globals(void);
struct takti_cxx_globals *__cxa_get_globals_fast(void);
void *__cxa_allocate_exception(size_t size);
void __cxa_free_exception(void *thrown);
void *__cxa_allocate_dependent_exception(void);
void __cxa_free_dependent_exception(void *head);
const struct type *__cxa_current_exception_type(void); /* the library's; NULL: none is handled */
_Noreturn void takti_cxx_terminate(void);

static _Noreturn void fault(const char *what)
{
    takt_fault_raise(TAKT_FAULT_ASSERTION, what, 1, (uintptr_t)__builtin_return_address(0));
}

/* The index of the caller in the tables. Idle time and what runs before the start share the first. */
static unsigned index_of_caller(void)
{
    uint32_t lock = takt_port_lock();
    bool in_task = takt_port_caller(lock) == 0;
    const struct takt_task *task = takti_kernel.ready.running;
    takt_port_unlock(lock);
    if (!in_task) {
        fault("C++: an exception in an interrupt");
    }
    if (task == NULL || task == &takti_kernel.idle) {
        return 0;
    }
    if (task->config->index + 1u >= takti_cxx_tasks) {
        fault("C++: an exception in a task that the declaration does not count");
    }
    return task->config->index + 1u;
}

struct takti_cxx_globals *__cxa_get_globals(void)
{
    return &takti_cxx_globals[index_of_caller()];
}

struct takti_cxx_globals *__cxa_get_globals_fast(void)
{
    return __cxa_get_globals();
}

/* Memory for a head and an object of `size` bytes, cleared as far as the head goes. */
static uint8_t *allocate(size_t size)
{
    struct takti_cxx_reserve *reserve = &takti_cxx_reserves[index_of_caller()];
    uint8_t *head = size <= SIZE_MAX - TAKTI_CXX_HEAD ? malloc(TAKTI_CXX_HEAD + size) : NULL;
    if (head == NULL && size <= TAKTI_CXX_RESERVE && reserve->used == 0) {
        reserve->used = 1;
        head = reserve->memory;
    }
    if (head == NULL) {
        fault("C++: no memory for an exception");
    }
    memset(head, 0, TAKTI_CXX_HEAD);
    return head;
}

static void release(uint8_t *head)
{
    uintptr_t offset = (uintptr_t)head - (uintptr_t)takti_cxx_reserves;
    if (offset < takti_cxx_tasks * sizeof(struct takti_cxx_reserve)) {
        takti_cxx_reserves[offset / sizeof(struct takti_cxx_reserve)].used = 0;
    } else {
        free(head);
    }
}

void *__cxa_allocate_exception(size_t size)
{
    return allocate(size) + TAKTI_CXX_HEAD;
}

void __cxa_free_exception(void *thrown)
{
    release((uint8_t *)thrown - TAKTI_CXX_HEAD);
}

void *__cxa_allocate_dependent_exception(void)
{
    return allocate(0);
}

void __cxa_free_dependent_exception(void *head)
{
    release(head);
}

/* Where nothing catches: an exception leaves a task's entry or a noexcept function, or one is thrown by a destructor
 * that another one calls. */
_Noreturn void takti_cxx_terminate(void)
{
    static char text[160] = "C++: std::terminate because of an exception of type ";
    (void)takt_port_lock(); /* the text is one for all */
    const struct type *type = __cxa_current_exception_type();
    if (type == NULL) {
        fault("C++: std::terminate without an exception");
    }
    const char *name = type->name + (*type->name == '*' ? 1 : 0);
    strncat(text, name, sizeof text - 1 - strlen(text));
    fault(text);
}

void (*takti_cxx_terminate_handler)(void) __asm__("_ZN10__cxxabiv119__terminate_handlerE") = takti_cxx_terminate;
