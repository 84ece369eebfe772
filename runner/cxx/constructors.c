/* SPDX-License-Identifier: Apache-2.0 */
/* On boards main is called through this function (the linker's --wrap): constructors of static objects come first, in
 * the mode and on the stack of main. Before time 0; the proof does not cover them. */
extern void (*const takti_init_begin[])(void), (*const takti_init_end[])(void); /* the linker script's */

int __real_main(void);
int __wrap_main(void);

int __wrap_main(void)
{
    for (void (*const *constructor)(void) = takti_init_begin; constructor < takti_init_end; constructor++) {
        (*constructor)();
    }
    return __real_main();
}

/* Never called, nor in the image: with it the linker looks for functions of which virtual tables have weak references
 * alone. */
extern void __cxa_pure_virtual(void), __cxa_deleted_virtual(void);
extern void (*const takti_cxx_weak[])(void);
void (*const takti_cxx_weak[])(void) = {__cxa_pure_virtual, __cxa_deleted_virtual};
