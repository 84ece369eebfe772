/* SPDX-License-Identifier: Apache-2.0 */
/* A system does not end, and a run of it ends anywhere: destructors of static objects never run. */
int __cxa_atexit(void (*destructor)(void *), void *object, void *handle);
int __cxa_thread_atexit(void (*destructor)(void *), void *object, void *handle);

int __cxa_atexit(void (*destructor)(void *), void *object, void *handle)
{
    (void)destructor, (void)object, (void)handle;
    return 0;
}

int __cxa_thread_atexit(void (*destructor)(void *), void *object, void *handle)
{
    return __cxa_atexit(destructor, object, handle);
}
