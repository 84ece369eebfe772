/* SPDX-License-Identifier: Apache-2.0 */
#define OWN(name) name##_b
#define WHO 10u
#include "thief.h"
