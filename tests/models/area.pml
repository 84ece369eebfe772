/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The area of reflect/core/include/takt/area.h for Spin: each access to a shared word is a step, and a value is two
 * words. The writer is as fast as it likes, so the reader is overtaken, which here tries once. It reads and takes in
 * any order; readers do not see each other, so one will do. Numbers do not come round here. The environment says DEPTH
 * (2 or 4), PROPERTY, the one that is checked, and FAULT, the one that is put in (0: none): test_models.py has their
 * lists.
 */
#define WRITES 6

#define WHOLE 1   /* what is read or taken is one value, that of its number */
#define NEWEST 2  /* what is read was the newest at some time of the read, and is no older than the one before */
#define COUNTED 3 /* values are taken in their order, and each that is not is counted as lost */
#define ALARM 4   /* nothing is refused or lost except as many writes as there are slots, begun meanwhile */
#define CHECK(number, condition) assert(property != number || (condition))

byte depth, property, fault;
byte number[4], left[4], right[4]; /* of each slot; the words are the number of the write */
byte newest;
byte begun, complete; /* writes */

proctype writer()
{
    byte slot;
    do
    :: begun < WRITES ->
        atomic { slot = (begun + 1) % depth; begun++; if :: fault != 1 -> number[slot] = 0 :: else fi }
        if
        :: fault == 3 -> atomic { number[slot] = begun; newest = begun }
        :: else
        fi;
        left[slot] = begun;
        right[slot] = begun;
        if
        :: fault == 4 -> newest = begun
        :: else
        fi;
        number[slot] = begun;
        atomic { newest = begun; complete = begun }
    :: else -> break
    od
}

proctype reader()
{
    byte steps, wanted, slot, first, second, oldest, last, taken, got, lost;
    bool takes, whole;
    do
    :: steps < 3 ->
        steps++;
        if
        :: takes = true
        :: takes = false
        fi;
        atomic { oldest = complete; wanted = newest }
        atomic {
            if
            :: takes && wanted != taken -> /* the oldest that may be there */
                if
                :: wanted - taken > depth ->
                    if
                    :: fault != 5 -> lost = lost + (wanted - taken - depth)
                    :: else
                    fi;
                    taken = wanted - depth
                :: else
                fi;
                taken++;
                wanted = taken
            :: takes && wanted == taken -> wanted = 0
            :: !takes && fault == 6 && wanted > 1 -> wanted--
            :: else
            fi;
            slot = wanted % depth
        }
        if
        :: wanted != 0 ->
            whole = (number[slot] == wanted);
            if
            :: whole ->
                first = left[slot];
                second = right[slot];
                atomic { whole = (fault == 2 || number[slot] == wanted) }
            :: else
            fi;
            atomic {
                if
                :: whole && takes ->
                    got++;
                    CHECK(WHOLE, first == wanted && second == wanted)
                :: whole && !takes ->
                    CHECK(WHOLE, first == wanted && second == wanted);
                    CHECK(NEWEST, wanted >= oldest && wanted >= last);
                    last = wanted
                :: !whole && takes ->
                    CHECK(ALARM, begun >= taken + depth);
                    if
                    :: fault != 7 -> lost++
                    :: else
                    fi
                :: else -> CHECK(ALARM, begun >= oldest + depth)
                fi;
                CHECK(COUNTED, got + lost == taken)
            }
        :: else
        fi;
        atomic { wanted = 0; slot = 0; first = 0; second = 0; oldest = 0; takes = false; whole = false }
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
