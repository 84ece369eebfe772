/* SPDX-License-Identifier: Apache-2.0 */
/* A program on a board does not end: destructors of static objects never run. */
void *__dso_handle __attribute__((visibility("hidden"))) = &__dso_handle;

int __cxa_atexit(void (*destructor)(void *), void *object, void *handle);
int __aeabi_atexit(void *object, void (*destructor)(void *), void *handle);

int __cxa_atexit(void (*destructor)(void *), void *object, void *handle)
{
    (void)destructor, (void)object, (void)handle;
    return 0;
}

int __aeabi_atexit(void *object, void (*destructor)(void *), void *handle)
{
    (void)object, (void)destructor, (void)handle;
    return 0;
}
