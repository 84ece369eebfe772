/* SPDX-License-Identifier: Apache-2.0 */
#define PROCESS 0
#define OWN(name) name##_a
#define OWN_LINE line_a_line
#include "hostile_process.h"
