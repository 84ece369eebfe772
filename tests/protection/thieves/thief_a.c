/* SPDX-License-Identifier: Apache-2.0 */
#define OWN(name) name##_a
#define OTHER(name) name##_b
#define WHO 0u
#include "thief.h"
