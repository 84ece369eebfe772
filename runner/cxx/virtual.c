/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What objects with virtual functions refer to. There is no memory for `new` unless the application defines operator
 * new, and then operator delete too: what deletes without it, or calls a pure function, has lost its way, and ends as a
 * fault of the processor.
 */
void __cxa_pure_virtual(void);
void __cxa_deleted_virtual(void);

void __cxa_pure_virtual(void)
{
    __builtin_trap();
}

void __cxa_deleted_virtual(void)
{
    __builtin_trap();
}

/* operator delete(void *) and with the object's size, as the types of pointers and sizes are called; of arrays too. */
#define TAKTI_DELETE(name, symbol)                                           \
    void name(void *object) __asm__(symbol) __attribute__((weak, noinline)); \
    void name(void *object)                                                  \
    {                                                                        \
        (void)object;                                                        \
        __builtin_trap();                                                    \
    }

TAKTI_DELETE(takti_delete, "_ZdlPv")
TAKTI_DELETE(takti_delete_sized, "_ZdlPvj")
TAKTI_DELETE(takti_delete_sized_long, "_ZdlPvm")
TAKTI_DELETE(takti_delete_array, "_ZdaPv")
TAKTI_DELETE(takti_delete_array_sized, "_ZdaPvj")
TAKTI_DELETE(takti_delete_array_sized_long, "_ZdaPvm")
