// SPDX-License-Identifier: Apache-2.0
#include <boost/lockfree/spsc_queue.hpp>

#include "queues.h"

namespace
{
template <unsigned BYTES> struct Item {
    uint64_t words[BYTES / 8];

    static Item of(uint64_t number)
    {
        Item item;
        for (auto &word : item.words) {
            word = number;
        }
        return item;
    }

    bool is(uint64_t number) const
    {
        return words[0] == number && words[BYTES / 8 - 1] == number;
    }
};

template <unsigned BYTES> struct Queue {
    static boost::lockfree::spsc_queue<Item<BYTES>, boost::lockfree::capacity<QUEUE_ITEMS>> queue;

    static uint64_t pairs(uint64_t count)
    {
        uint64_t wrong = 0;
        for (uint64_t number = 0; number < count; number++) {
            Item<BYTES> out;
            if (!queue.push(Item<BYTES>::of(number)) || !queue.pop(out)) {
                return count;
            }
            wrong += !out.is(number);
        }
        return wrong;
    }

    static void produce(uint64_t count)
    {
        for (uint64_t number = 0; number < count; number++) {
            const auto in = Item<BYTES>::of(number);
            while (!queue.push(in)) {
                queue_refused();
            }
        }
    }

    static uint64_t consume(uint64_t count)
    {
        uint64_t wrong = 0;
        for (uint64_t number = 0; number < count; number++) {
            Item<BYTES> out;
            while (!queue.pop(out)) {
                queue_refused();
            }
            wrong += !out.is(number);
        }
        return wrong;
    }
};

template <unsigned BYTES>
boost::lockfree::spsc_queue<Item<BYTES>, boost::lockfree::capacity<QUEUE_ITEMS>> Queue<BYTES>::queue;

template <unsigned BYTES> constexpr queue entry()
{
    return {"boost", BYTES, Queue<BYTES>::pairs, Queue<BYTES>::produce, Queue<BYTES>::consume};
}
} // namespace

extern "C" const queue boost_queues[] = {entry<8>(), entry<56>(), entry<64>(), {}};
