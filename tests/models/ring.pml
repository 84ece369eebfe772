/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of kernel/include/takt/ring.h for Spin: each access to a shared word is a step, and an item is two words.
 * A refused call is repeated. The environment says CAPACITY (1 to 3), PROPERTY, the one that is checked, and FAULT, the
 * one that is put in (0: none): test_models.py has their lists.
 */
#define ITEMS 5 /* numbered from 1 */

#define FREE 0
#define WRITING 1
#define FULL 2
#define READING 3

#define FIFO 1  /* what comes out is the next item, whole: none is lost, doubled or torn */
#define TRUTH 2 /* full and empty are said only when that is so */
#define MARKS 3 /* ... and that the other side is at work, only when it is */
#define OWNER 4 /* the two are never at work in one slot */
#define CHECK(number, condition) assert(property != number || (condition))

byte capacity, property, fault;
byte state[3], left[3], right[3]; /* of each slot: its state, and the words of its item */
byte in, out;                     /* private to the producer, to the consumer */
byte sent, received;              /* items whose put, whose get is complete */
bool putting, getting;            /* from the mark to the end */

#define NEXT(slot) ((slot + 1) % capacity)

proctype producer()
{
    byte seen;
    do
    :: sent < ITEMS ->
        atomic {
            seen = state[in];
            if
            :: fault == 1 -> seen = FREE
            :: fault == 2 && seen == READING -> seen = FREE
            :: fault == 3 && sent - received == capacity - 1 -> seen = FULL
            :: else
            fi;
            CHECK(TRUTH, seen < FULL || sent - received == capacity);
            CHECK(MARKS, seen != READING || getting)
        }
        if
        :: seen >= FULL
        :: else ->
            if
            :: fault == 4 -> atomic { state[in] = FULL; putting = true }
            :: else -> atomic { state[in] = WRITING; putting = true }
            fi;
            CHECK(OWNER, !getting || in != out);
            left[in] = sent + 1;
            CHECK(OWNER, !getting || in != out);
            right[in] = sent + 1;
            atomic {
                state[in] = (fault == 5 -> WRITING : FULL);
                sent++;
                putting = false;
                in = NEXT(in)
            }
        fi
    :: else -> break
    od
}

proctype consumer()
{
    byte seen, first, second;
    do
    :: received < ITEMS ->
        atomic {
            seen = state[out];
            if
            :: fault == 6 && seen == WRITING -> seen = FULL
            :: else
            fi;
            CHECK(TRUTH, seen >= FULL || sent == received);
            CHECK(MARKS, seen != WRITING || putting)
        }
        if
        :: seen < FULL
        :: else ->
            if
            :: fault == 7 -> atomic { state[out] = FREE; getting = true }
            :: else -> atomic { state[out] = READING; getting = true }
            fi;
            first = left[out];
            second = right[out];
            CHECK(FIFO, first == received + 1 && second == received + 1);
            atomic {
                state[out] = (fault == 8 -> FULL : (fault == 9 -> READING : FREE));
                received++;
                getting = false;
                out = (fault == 10 -> out : NEXT(out))
            }
        fi
    :: else -> break
    od
}

init
{
    atomic {
        c_code {
            now.capacity = atoi(getenv("CAPACITY"));
            now.property = atoi(getenv("PROPERTY"));
            now.fault = atoi(getenv("FAULT"));
        };
        run producer();
        run consumer()
    }
}
