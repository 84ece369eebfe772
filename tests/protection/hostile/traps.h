/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOSTILE_TRAPS_H
#define HOSTILE_TRAPS_H

/* Calls by number. Before: OWN(name), and kernel/test/support/hostile.h. */
enum { UNKNOWN = 2 };

/* The trap of each call, by its number; and of numbers that none has. */
#define EXPANDED_STUB(symbol, number) TAKT_PORT_STUB(symbol, number)
#define DECLARE_DIRECT(number, name) void takt_user_##name(void);
#define DECLARE_WIDE(number, name) void takt_trap_##name(void);
TAKTI_CALLS(DECLARE_DIRECT, DECLARE_WIDE)
void OWN(unknown_near)(void);
void OWN(unknown_far)(void);
EXPANDED_STUB(OWN(unknown_near), 250);
EXPANDED_STUB(OWN(unknown_far), 2000);
#define DIRECT_TRAP(number, name) takt_user_##name,
#define WIDE_TRAP(number, name) takt_trap_##name,
static void (*const traps[TAKTI_CALL_COUNT + UNKNOWN])(void) = {TAKTI_CALLS(DIRECT_TRAP, WIDE_TRAP) OWN(unknown_near),
                                                                OWN(unknown_far)};

/* A number of 64 bits takes two words where the compiler puts them: the shape of the call decides. */
static uint32_t trap(unsigned number, const uint64_t words[ARGUMENTS])
{
    const char *letters = number < TAKTI_CALL_COUNT && takes[number] != NULL ? takes[number] : "";
    unsigned wide = 0;
    while (letters[wide] != '\0' && letters[wide] != 'u' && letters[wide] != 'l') {
        wide++;
    }
    uintptr_t first = (uintptr_t)words[0];
    uintptr_t second = (uintptr_t)words[1];
    void (*target)(void) = traps[number];
    if (letters[wide] == '\0') {
        return ((uint32_t(*)(uintptr_t, uintptr_t, uintptr_t, uintptr_t))target)(first, second, (uintptr_t)words[2], 0);
    }
    return wide == 0   ? ((uint32_t(*)(uint64_t))target)(words[0])
           : wide == 1 ? ((uint32_t(*)(uintptr_t, uint64_t))target)(first, words[1])
                       : ((uint32_t(*)(uintptr_t, uintptr_t, uint64_t))target)(first, second, words[2]);
}

#endif
