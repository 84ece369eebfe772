/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What virtual tables of classes with a destructor refer to. There is no memory for `new` unless the application
 * defines operator new, and then operator delete too: what deletes without it has lost its way, and ends as a fault.
 */
#include "runner/cxx/lost.h"

/* operator delete(void *) and with the object's size, as the types of pointers and sizes are called; of arrays too. */
#define TAKTI_DELETE(name, symbol)                                           \
    void name(void *object) __asm__(symbol) __attribute__((weak, noinline)); \
    void name(void *object)                                                  \
    {                                                                        \
        (void)object;                                                        \
        TAKTI_CXX_LOST("delete without a heap");                             \
    }

TAKTI_DELETE(takti_delete, "_ZdlPv")
TAKTI_DELETE(takti_delete_sized, "_ZdlPvj")
TAKTI_DELETE(takti_delete_sized_long, "_ZdlPvm")
TAKTI_DELETE(takti_delete_array, "_ZdaPv")
TAKTI_DELETE(takti_delete_array_sized, "_ZdaPvj")
TAKTI_DELETE(takti_delete_array_sized_long, "_ZdaPvm")
