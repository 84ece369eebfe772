/* SPDX-License-Identifier: Apache-2.0 */
#ifndef REFLECT_NAMES_H
#define REFLECT_NAMES_H

/* A folder of names of the test's own, gone at its end. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/test/check.h"

static char names_folder[] = "/tmp/takt-names-XXXXXX";

static inline unsigned names_count(void)
{
    DIR *folder = opendir(names_folder);
    unsigned count = 0;
    CHECK(folder != NULL);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        count += entry->d_name[0] != '.';
    }
    closedir(folder);
    return count;
}

static inline void names_begin(void)
{
    CHECK(mkdtemp(names_folder) != NULL);
    CHECK(setenv("TAKT_REFLECT_FOLDER", names_folder, 1) == 0);
}

static inline void names_end(void)
{
    CHECK_EQUAL(names_count(), 0);
    CHECK(rmdir(names_folder) == 0);
}

#endif
