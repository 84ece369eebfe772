// SPDX-License-Identifier: Apache-2.0
// The sections of sections.c, with takt/takt.hpp: tests/goldens/test_cxx.py compares the instructions.
#include "takt/takt.h"
#include "takt/takt.hpp"

extern "C" {
extern struct takt_mutex mutex;
extern struct takt_ceiling ceiling;
bool add(unsigned amount);
enum takt_status add_until(unsigned amount, uint64_t until_ns);
void add_under_ceiling(unsigned amount);
void nested(unsigned amount);
enum takt_status pay(unsigned amount);
unsigned paid(void);
}

namespace
{
class Account
{
  public:
    void pay(unsigned amount)
    {
        total += amount;
        count++;
    }

    unsigned count = 0;
    unsigned total = 0;
};

Account account;
takt::Monitor<Account, mutex> monitor;
} // namespace

bool add(unsigned amount)
{
    takt::Section section(mutex);
    if (!section) {
        return false;
    }
    account.total += amount;
    return true;
}

enum takt_status add_until(unsigned amount, uint64_t until_ns)
{
    takt::Section section(mutex, until_ns);
    if (!section) {
        return section.status();
    }
    account.total += amount;
    return TAKT_OK;
}

void add_under_ceiling(unsigned amount)
{
    if (takt::Section section(ceiling); section) {
        account.total += amount;
    }
}

void nested(unsigned amount)
{
    takt::Section outer(mutex);
    if (!outer) {
        return;
    }
    if (takt::Section inner(ceiling); inner) {
        account.total += amount;
    }
}

enum takt_status pay(unsigned amount)
{
    return monitor.call([amount](Account &mine) { mine.pay(amount); });
}

unsigned paid(void)
{
    unsigned count = 0;
    if (auto entry = monitor.enter()) {
        count = entry->count;
    }
    return count;
}
