/* SPDX-License-Identifier: Apache-2.0 */
/* 4-ary heap. */
#define ARITY 4u
#include "array_heap.h"
