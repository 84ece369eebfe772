/* SPDX-License-Identifier: Apache-2.0 */
#define PROCESS 1
#define OWN(name) name##_b
#define OWN_LINE line_b_line
#include "hostile_process.h"

MAKER(alarmed_job_b, ALARMED)
