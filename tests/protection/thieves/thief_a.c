/* SPDX-License-Identifier: Apache-2.0 */
#define OWN(name) name##_a
#define OTHER(name) name##_b
#define FIRST_PLAYER 0u
#include "thief.h"
