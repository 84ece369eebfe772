/* SPDX-License-Identifier: Apache-2.0 */
/* On Arm destructors are registered by this name (destructors.c). The handle is that of the program. */
void *__dso_handle __attribute__((visibility("hidden"))) = &__dso_handle;

int __aeabi_atexit(void *object, void (*destructor)(void *), void *handle);

int __aeabi_atexit(void *object, void (*destructor)(void *), void *handle)
{
    (void)object, (void)destructor, (void)handle;
    return 0;
}
