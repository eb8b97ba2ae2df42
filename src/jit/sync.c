/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync.c - the barrier of a whole block, as compiled code calls it: from warp
 * to warp without a detour. It runs a hundred million times a second, hence
 * machine code: save what calls preserve, the stack pointer changes hands, and
 * the return goes to the next warp's code, mostly at the same address.
 */
#include <stddef.h>

#include "jit/sync.h"

_Static_assert(offsetof(sw_jit_ctx, convoy) == 0, "see below");
_Static_assert(offsetof(sw_jit_ctx, next) == 8, "see below");
_Static_assert(offsetof(sw_jit_ctx, fiber) == 16, "see below");
_Static_assert(offsetof(sw_jit_ctx, at) == 24, "see below");
_Static_assert(offsetof(sw_jit_convoy, arrived) == 0, "see below");
_Static_assert(offsetof(sw_jit_convoy, live) == 4, "see below");

__asm__(".text\n"
        ".globl sw_jit_sync\n"
        ".hidden sw_jit_sync\n"
        ".type sw_jit_sync, @function\n"
        ".align 64\n"
        "sw_jit_sync:\n"
        "    movq (%rdi), %rax\n"
        "    movl %esi, 24(%rdi)\n"
        "    testq %rax, %rax\n"
        "    jz sw_jit_sync_alone\n"
        "    movl (%rax), %ecx\n"
        "    incl %ecx\n"
        "    cmpl 4(%rax), %ecx\n"
        "    je 1f\n"
        "    movl %ecx, (%rax)\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq 16(%rdi), %rdx\n"
        "    movq 8(%rdi), %rdi\n"
        "    movq %rsp, (%rdx)\n"
        "    movq 16(%rdi), %rdx\n"
        "    movq (%rdx), %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        "1:\n"
        "    movl $0, (%rax)\n"
        "    ret\n"
        ".size sw_jit_sync, . - sw_jit_sync\n");
