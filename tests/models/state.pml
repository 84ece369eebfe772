/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state message of kernel/include/takt/state.h for Spin: each access to a shared word is a step, and a message is
 * two words. The writer is as fast as it likes, so the reader is overtaken; readers do not see each other, so one will
 * do. Marks do not come round here. The environment says DEPTH (2 or 3), PROPERTY, the one that is checked, and FAULT,
 * the one that is put in (0: none): test_models.py has their lists.
 */
#define WRITES 6

#define WHOLE 1  /* what is read is one message */
#define NEWEST 2 /* ... that was the newest at some time of the read, and no older than the one before */
#define ALARM 3  /* a read is refused only if as many writes as there are copies were under way during it */
#define CHECK(number, condition) assert(property != number || (condition))

#define MARK(write) ((write / depth) * 4 + write % depth) /* 4 in place of 256 */

byte depth, property, fault;
byte mark[3], left[3], right[3]; /* of each copy: the mark, and the words of its message, which is the write's number */
byte newest;                     /* a mark */
byte begun, complete;            /* writes */

proctype writer()
{
    byte copy = (fault == 1 -> 0 : 1);
    do
    :: begun < WRITES ->
        if
        :: fault == 2 -> begun++
        :: else -> atomic { begun++; mark[copy] = MARK(begun) }
        fi;
        left[copy] = begun;
        right[copy] = begun;
        if
        :: fault == 2 -> mark[copy] = MARK(begun)
        :: else
        fi;
        if
        :: fault == 3 && begun == 3
        :: else -> newest = MARK(begun)
        fi;
        atomic {
            complete++;
            copy = (fault == 1 -> copy : (copy + 1) % depth)
        }
    :: else -> break
    od
}

proctype reader()
{
    byte reads, start, copy, after, first, second, oldest, under_way, last;
    do
    :: reads < 2 ->
        reads++;
        atomic { oldest = complete; start = newest; copy = start % 4 }
        if
        :: fault == 4 -> start = mark[copy] /* the mark of the copy in place of the newest */
        :: else
        fi;
        first = left[copy];
        second = right[copy];
        atomic { after = mark[copy]; under_way = begun - oldest }
        if
        :: fault == 5 -> after = start
        :: fault == 6 && under_way == depth - 1 -> after = start + 1
        :: else
        fi;
        if
        :: start == after ->
            CHECK(WHOLE, first == second);
            CHECK(NEWEST, first >= oldest && first >= last && first <= begun);
            last = first
        :: else -> CHECK(ALARM, under_way >= depth)
        fi;
        atomic { start = 0; copy = 0; after = 0; first = 0; second = 0; oldest = 0; under_way = 0 }
    :: else -> break
    od
}

init
{
    atomic {
        c_code {
            now.depth = atoi(getenv("DEPTH"));
            now.property = atoi(getenv("PROPERTY"));
            now.fault = atoi(getenv("FAULT"));
        };
        run writer();
        run reader()
    }
}
