/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Contexts of the host port: a mapped stack each, above an inaccessible page, and a switch that saves the callee-saved
 * registers of the System V ABI, and thread-local variables at the top of the stack. Switches are announced to the
 * sanitizers.
 */
#include "ports/host/host.h"
#include "ports/host/saved.h"
#include "ports/host/thread_local.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define ANNOUNCE_NEW(one) ASAN_UNPOISON_MEMORY_REGION((one)->stack, (one)->stack_size) /* what was left there */
#define ANNOUNCE_LEAVE(save, to) __sanitizer_start_switch_fiber((save), (to)->stack, (to)->stack_size)
#define ANNOUNCE_ARRIVE(saved, from) __sanitizer_finish_switch_fiber((saved), &(from)->stack, &(from)->stack_size)
#else
#define ANNOUNCE_NEW(one) ((void)(one))
#define ANNOUNCE_LEAVE(save, to) ((void)(save))
#define ANNOUNCE_ARRIVE(saved, from) ((void)(saved))
#endif

enum { STACK_SIZE = 256 * 1024, GUARD_SIZE = 4096 };

struct takt_host_context {
    uint32_t result; /* of the switch in which it waits. Must stay first: kernel/port.h */
    uint32_t result_high;
    void *stack_pointer;
    const void *stack; /* lowest usable address */
    size_t stack_size;
    void *variables; /* thread-local ones, of a context that is not running: the last bytes of the stack */
    void *sanitizer; /* what the sanitizer keeps for a context that is not running */
    void (*entry)(void *argument);
    void *argument;
};

/* Saves the callee-saved registers and the stack pointer in *from and continues at `to`. */
void takt_host_swap(void **from, void *to);

#if defined(__x86_64__)
#define PUSHED_AROUND(name, between) "    pushq %" #name "\n" between "    popq %" #name "\n"
__asm__(".text\n"
        ".globl takt_host_swap\n"
        ".type takt_host_swap, @function\n"
        "takt_host_swap:\n" TAKT_HOST_X86_64_SAVED(
            PUSHED_AROUND, "    movq %rsp, (%rdi)\n    movq %rsi, %rsp\n") "    ret\n"
                                                                           ".size takt_host_swap, .-takt_host_swap\n");
enum {
    SAVED_WORDS = sizeof(struct takt_host_x86_64_saved) / sizeof(uint64_t),
    ENTRY_WORD = offsetof(struct takt_host_x86_64_saved, pc) / sizeof(uint64_t),
    TOP_WORDS = 1
};
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl takt_host_swap\n"
        ".type takt_host_swap, %function\n"
        "takt_host_swap:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size takt_host_swap, .-takt_host_swap\n");
enum { SAVED_WORDS = 20, ENTRY_WORD = 11, TOP_WORDS = 2 };
#else
#error "the host port knows x86-64 and AArch64: write takt_host_swap for this processor"
#endif

/* Of the switch that is running. */
static struct takt_host_context *leaving;
static struct takt_host_context *arriving;

struct takt_host_context *takt_host_context_new(void)
{
    struct takt_host_context *context = calloc(1, sizeof *context);
    char *memory = mmap(NULL, STACK_SIZE + GUARD_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (context == NULL || memory == MAP_FAILED || mprotect(memory, GUARD_SIZE, PROT_NONE) != 0) {
        fputs("host port: no memory for a task's stack\n", stderr);
        exit(3);
    }
    context->stack = memory + GUARD_SIZE;
    context->stack_size = STACK_SIZE;
    context->variables = memory + GUARD_SIZE + STACK_SIZE - takt_host_thread_locals_size();
    return context;
}

static void begin(void)
{
    struct takt_host_context *self = arriving;
    ANNOUNCE_ARRIVE(NULL, leaving);
    self->entry(self->argument);
    abort(); /* entries do not return */
}

void takt_host_context_init(struct takt_host_context *context, void (*entry)(void *argument), void *argument)
{
    context->entry = entry;
    context->argument = argument;
    context->sanitizer = NULL;
    ANNOUNCE_NEW(context);
    takt_host_thread_locals_begin(context->variables);
    uintptr_t *top = context->variables;
    top -=
        TOP_WORDS; /* as after a call: x86-64 has pushed a return address below 16 bytes' alignment, AArch64 nothing */
    top[0] = 0;
    top -= SAVED_WORDS;
    for (unsigned word = 0; word < SAVED_WORDS; word++) {
        top[word] = 0;
    }
    top[ENTRY_WORD] = (uintptr_t)&begin;
    context->stack_pointer = top;
}

void takt_host_context_variables(struct takt_host_context *from, struct takt_host_context *to)
{
    takt_host_thread_locals_swap(from->variables, to->variables);
}

uint32_t takt_host_context_switch(struct takt_host_context *from, struct takt_host_context *to)
{
    from->result = 0;
    leaving = from;
    arriving = to;
    takt_host_thread_locals_swap(from->variables, to->variables);
    ANNOUNCE_LEAVE(&from->sanitizer, to);
    takt_host_swap(&from->stack_pointer, to->stack_pointer);
    ANNOUNCE_ARRIVE(from->sanitizer, leaving);
    return from->result;
}

void takt_host_context_result_set(struct takt_host_context *context, uint64_t result)
{
    context->result = (uint32_t)result;
    context->result_high = (uint32_t)(result >> 32);
}

uint64_t takt_host_context_result(const struct takt_host_context *context)
{
    return (uint64_t)context->result_high << 32 | context->result;
}

bool takt_host_context_owns(const struct takt_host_context *context, uintptr_t address, uintptr_t size)
{
    uintptr_t stack = (uintptr_t)context->stack;
    return size <= context->stack_size && address - stack <= context->stack_size - size;
}
