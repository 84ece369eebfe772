/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKTI_CXX_EXCEPTIONS_H
#define TAKTI_CXX_EXCEPTIONS_H

#include <stdint.h>

/* What a task needs in order to throw and catch: system.c has one for each task that may be there, and one, the first,
 * for what runs in no task. */

/* Bytes that the library writes before the object that is thrown: struct __cxa_refcounted_exception of GCC's libsupc++.
 * The dependent one of std::exception_ptr is no larger. */
enum { TAKTI_CXX_HEAD = 128 };

/* The largest object that can be thrown when the heap is full. std::bad_alloc has a pointer. */
enum { TAKTI_CXX_RESERVE = 32 };

/* struct __cxa_eh_globals of the C++ ABI. Owner: the task. */
struct takti_cxx_globals {
    void *caught;      /* exceptions in whose handlers the task is */
    unsigned uncaught; /* that are on their way to a handler */
    void *propagating; /* on Arm: those that run destructors on their way */
};

/* Memory for one exception of a task when the heap has none. `used`: set by the task, cleared by who frees it. */
struct takti_cxx_reserve {
    uint8_t memory[TAKTI_CXX_HEAD + TAKTI_CXX_RESERVE] __attribute__((aligned(16)));
    uint32_t used;
};

extern const unsigned takti_cxx_tasks; /* of the tables: tasks, and 1 */
extern struct takti_cxx_globals takti_cxx_globals[];
extern struct takti_cxx_reserve takti_cxx_reserves[];

#endif
