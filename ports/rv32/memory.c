/* SPDX-License-Identifier: Apache-2.0 */
#define TAKT_MEMORY_UNALIGNED 0
#include "base/memory.h"
