/* SPDX-License-Identifier: Apache-2.0 */
#define TAKT_MEMORY_UNALIGNED 1 /* fine in ordinary memory */
#include "base/memory.h"
