/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of sections.cpp, written with the calls. */
#include "takt/takt.h"

extern struct takt_mutex mutex;
extern struct takt_ceiling ceiling;
extern struct takt_condition filled;
static struct {
    unsigned count;
    unsigned total;
} account;

bool add(unsigned amount);
enum takt_status add_until(unsigned amount, uint64_t until_ns);
void add_under_ceiling(unsigned amount);
enum takt_status take(unsigned *amount);
void nested(unsigned amount);
enum takt_status pay(unsigned amount);
unsigned paid(void);

bool add(unsigned amount)
{
    if (takt_mutex_lock(&mutex) != TAKT_OK) {
        return false;
    }
    account.total += amount;
    takt_mutex_unlock(&mutex);
    return true;
}

enum takt_status add_until(unsigned amount, uint64_t until_ns)
{
    enum takt_status status = takt_mutex_lock_until(&mutex, until_ns);
    if (status != TAKT_OK) {
        return status;
    }
    account.total += amount;
    takt_mutex_unlock(&mutex);
    return TAKT_OK;
}

void add_under_ceiling(unsigned amount)
{
    if (takt_ceiling_lock(&ceiling) == TAKT_OK) {
        account.total += amount;
        takt_ceiling_unlock(&ceiling);
    }
}

void nested(unsigned amount)
{
    if (takt_mutex_lock(&mutex) != TAKT_OK) {
        return;
    }
    if (takt_ceiling_lock(&ceiling) == TAKT_OK) {
        account.total += amount;
        takt_ceiling_unlock(&ceiling);
    }
    takt_mutex_unlock(&mutex);
}

enum takt_status pay(unsigned amount)
{
    enum takt_status status = takt_mutex_lock(&mutex);
    if (status == TAKT_OK) {
        account.total += amount;
        account.count++;
        takt_mutex_unlock(&mutex);
    }
    return status;
}

unsigned paid(void)
{
    unsigned count = 0;
    if (takt_mutex_lock(&mutex) == TAKT_OK) {
        count = account.count;
        takt_mutex_unlock(&mutex);
    }
    return count;
}
