/* SPDX-License-Identifier: Apache-2.0 */
/* Exceptions of two tasks that preempt each other, and that wait in their handlers so that these overlap in any order;
 * containers on the declared heap, until it is full. */
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "takt_app.h"

namespace
{
constexpr uint64_t WORK_NS = TAKT_US(100);

int alive; /* objects of Tracked */
unsigned wrong;
const std::string slow_name("slow, a text that is too long for the string itself"); /* constructed before the start */
thread_local const std::string quick_name("quick"); /* which throws while the heap is full */

void expect(bool right)
{
    wrong += right ? 0 : 1;
}

struct Failure {
    explicit Failure(std::string whose) : whose(std::move(whose))
    {
    }
    virtual ~Failure() = default;
    std::string whose;
};

struct Refused : Failure {
    Refused(const std::string &whose, unsigned number) : Failure(whose), number(number)
    {
    }
    unsigned number;
};

struct Tracked {
    Tracked()
    {
        __atomic_add_fetch(&alive, 1, __ATOMIC_RELAXED);
    }
    ~Tracked()
    {
        expect(std::uncaught_exceptions() == 1); /* of this task: of the other one more may be on its way */
        __atomic_sub_fetch(&alive, 1, __ATOMIC_RELAXED);
    }
};

[[gnu::noinline]] void descend(unsigned frames, const std::string &whose, unsigned number)
{
    Tracked tracked;
    if (frames == 0) {
        throw Refused(whose, number);
    }
    descend(frames - 1, whose, number);
    expect(false); /* and no call in tail position */
}

/* Throws over `frames`, catches by the base class, and throws again out of the handler, in which it waits. */
void once(const std::string &whose, unsigned number, unsigned frames, uint64_t wait_ns)
{
    expect(std::uncaught_exceptions() == 0 && std::current_exception() == nullptr);
    try {
        try {
            descend(frames, whose, number);
        } catch (const Failure &failure) {
            takt_delay(wait_ns);
            const auto *refused = dynamic_cast<const Refused *>(&failure);
            expect(refused != nullptr && refused->number == number && failure.whose == whose);
            expect(typeid(failure) == typeid(Refused));
            throw;
        }
    } catch (const Refused &again) {
        expect(again.number == number && again.whose == whose);
    }
    expect(std::current_exception() == nullptr);
}

/* Takes all there is, to the last block, which leaves no room for exceptions either; returns how often that was said. */
unsigned exhaust()
{
    struct Link {
        Link *next;
    };
    unsigned caught = 0;
    std::vector<std::vector<char>> blocks;
    Link *first = nullptr;
    try {
        for (;;) {
            blocks.emplace_back(256);
        }
    } catch (const std::bad_alloc &) {
        caught++;
    }
    while (Link *link = new (std::nothrow) Link{first}) {
        first = link;
    }
    for (int again = 0; again < 2; again++) {
        try {
            std::string text(100, 'x');
        } catch (const std::exception &failure) {
            expect(typeid(failure) == typeid(std::bad_alloc));
            caught++;
        }
    }
    while (first != nullptr) {
        delete std::exchange(first, first->next);
    }
    expect(blocks.size() > 20 && blocks.size() < 64);
    return caught;
}

[[gnu::noinline]] void contained()
{
    std::map<std::string, int> numbers;
    std::vector<int> some = {3, 1, 2};
    std::sort(some.begin(), some.end());
    std::function<int(int)> twice = [&some](int index) { return 2 * some.at(static_cast<size_t>(index)); };
    for (int index = 0; index < 3; index++) {
        numbers["a name that is longer than a short string " + std::to_string(index)] = twice(index);
    }
    expect(numbers.size() == 3 && numbers.begin()->second == 2 && numbers.rbegin()->second == 6);
    try {
        (void)twice(3);
        expect(false);
    } catch (const std::out_of_range &) {
    }
}
} // namespace

void quick_step(void *)
{
    static unsigned jobs;
    jobs++;
    once(quick_name, jobs, jobs % 5, jobs % 3 == 0 ? TAKT_US(200) : TAKT_US(10));
}

void slow_step(void *)
{
    static unsigned jobs;
    jobs++;
    for (unsigned number = 0; number < 4; number++) {
        takt_work(WORK_NS);
        once(slow_name, number, 8, TAKT_US(350));
    }
    contained();
    unsigned full = exhaust();
    if (jobs == 5) {
        printf("%u times full, %d objects left, %u wrong\n", full, alive, wrong);
    }
}
