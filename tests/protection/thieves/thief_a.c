/* SPDX-License-Identifier: Apache-2.0 */
#define OWN(name) name##_a
#define WHO 0u
#include "thief.h"
