/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TAKT_HEAP_HOST_NAMES_H
#define TAKT_HEAP_HOST_NAMES_H

/* On board host: files of an application with a heap call its malloc, and the machine's C library its own. The build
 * includes this file first. */
#define TAKTI_HEAP_PRAGMA(text) _Pragma(#text)
#define TAKTI_HEAP_NAME(name) TAKTI_HEAP_PRAGMA(redefine_extname name takt_library_##name)
TAKTI_HEAP_NAME(malloc)
TAKTI_HEAP_NAME(free)
TAKTI_HEAP_NAME(calloc)
TAKTI_HEAP_NAME(realloc)
TAKTI_HEAP_NAME(aligned_alloc)
TAKTI_HEAP_NAME(memalign)
TAKTI_HEAP_NAME(posix_memalign)
TAKTI_HEAP_NAME(malloc_usable_size)
TAKTI_HEAP_NAME(strdup)
TAKTI_HEAP_NAME(strndup)
#undef TAKTI_HEAP_NAME
#undef TAKTI_HEAP_PRAGMA

#endif
