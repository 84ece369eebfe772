/* SPDX-License-Identifier: Apache-2.0 */
/* Binary heap. */
#define ARITY 2u
#include "array_heap.h"
