/* SPDX-License-Identifier: Apache-2.0 */
/* operator new and delete on the heap of the system, where one is declared. Without room the new handler is called, if
 * the application has set one; otherwise it throws, which without the C++ library is a fault (throw.c). An application
 * may define its own. */
#include <stddef.h>
#include <stdlib.h>

extern void (*takti_new_handler(void))(void) __asm__("_ZSt15get_new_handlerv") __attribute__((weak));
_Noreturn void takti_throw_bad_alloc(void) __asm__("_ZSt17__throw_bad_allocv");

/* Returns if there may be room now. */
static void make_room(void)
{
    void (*handler)(void) = takti_new_handler != NULL ? takti_new_handler() : NULL;
    if (handler == NULL) {
        takti_throw_bad_alloc();
    }
    handler();
}

#define TAKTI_OPERATOR __attribute__((weak, noinline))

/* As the type of sizes is called: j on boards, m on this machine. `a`: of arrays. */
#define TAKTI_NEW(name, symbol)                             \
    void *name(size_t size) __asm__(symbol) TAKTI_OPERATOR; \
    void *name(size_t size)                                 \
    {                                                       \
        void *block;                                        \
        while ((block = malloc(size)) == NULL) {            \
            make_room();                                    \
        }                                                   \
        return block;                                       \
    }
#define TAKTI_NEW_ALIGNED(name, symbol)                                       \
    void *name(size_t size, size_t alignment) __asm__(symbol) TAKTI_OPERATOR; \
    void *name(size_t size, size_t alignment)                                 \
    {                                                                         \
        void *block;                                                          \
        while ((block = aligned_alloc(alignment, size)) == NULL) {            \
            make_room();                                                      \
        }                                                                     \
        return block;                                                         \
    }
#define TAKTI_FREE(name, symbol)                                       \
    void name(void *object) __asm__(symbol) __attribute__((noinline)); \
    void name(void *object)                                            \
    {                                                                  \
        free(object);                                                  \
    }

#if __SIZEOF_LONG__ == 8
TAKTI_NEW(takti_heap_new, "_Znwm")
TAKTI_NEW(takti_heap_new_array, "_Znam")
TAKTI_NEW_ALIGNED(takti_heap_new_aligned, "_ZnwmSt11align_val_t")
TAKTI_NEW_ALIGNED(takti_heap_new_array_aligned, "_ZnamSt11align_val_t")
#else
TAKTI_NEW(takti_heap_new, "_Znwj")
TAKTI_NEW(takti_heap_new_array, "_Znaj")
TAKTI_NEW_ALIGNED(takti_heap_new_aligned, "_ZnwjSt11align_val_t")
TAKTI_NEW_ALIGNED(takti_heap_new_array_aligned, "_ZnajSt11align_val_t")
#endif
TAKTI_FREE(takti_heap_delete, "_ZdlPv")
TAKTI_FREE(takti_heap_delete_array, "_ZdaPv")
TAKTI_FREE(takti_heap_delete_sized, "_ZdlPvj")
TAKTI_FREE(takti_heap_delete_sized_long, "_ZdlPvm")
TAKTI_FREE(takti_heap_delete_array_sized, "_ZdaPvj")
TAKTI_FREE(takti_heap_delete_array_sized_long, "_ZdaPvm")
TAKTI_FREE(takti_heap_delete_aligned, "_ZdlPvSt11align_val_t")
TAKTI_FREE(takti_heap_delete_array_aligned, "_ZdaPvSt11align_val_t")
TAKTI_FREE(takti_heap_delete_sized_aligned, "_ZdlPvjSt11align_val_t")
TAKTI_FREE(takti_heap_delete_sized_long_aligned, "_ZdlPvmSt11align_val_t")
TAKTI_FREE(takti_heap_delete_array_sized_aligned, "_ZdaPvjSt11align_val_t")
TAKTI_FREE(takti_heap_delete_array_sized_long_aligned, "_ZdaPvmSt11align_val_t")
