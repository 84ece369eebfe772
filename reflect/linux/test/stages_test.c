/* SPDX-License-Identifier: Apache-2.0 */
/* What the profiler keeps of the times of two threads, of which the later one may have been read first. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "base/test/check.h"
#include "reflect/linux/profile/stages.h"
#include "reflect/linux/server/stage.h"
#include "takt/reflect.h"

int main(void)
{
    char said[4096] = "";
    taktr_stages_begin(1);
    taktr_stage_waited(takt_reflect_now() + UINT64_C(1000000000)); /* which another thread has just moved */
    FILE *out = fmemopen(said, sizeof said, "w");
    CHECK(out != NULL);
    taktr_stages_print(out, false);
    CHECK(fclose(out) == 0);
    CHECK(strstr(said, "\"timer\":{\"count\":1,\"least_ns\":0,\"median_ns\":0,\"most_ns\":0}") != NULL);
    return 0;
}
