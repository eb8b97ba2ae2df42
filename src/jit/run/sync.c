/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync.c - the barrier of a whole block and its end, as compiled code calls
 * them: from warp to warp without a detour. They run a hundred million times a
 * second, hence machine code: the stack pointer changes hands. (The call
 * preserves rbp only: LLVM's preserve_none, whose arguments are in r12 and
 * r13.) It returns the context, in rax, so that what follows need not wait for
 * the stack; 0 there comes from run/fiber.c. A jump instead of a return: the
 * next warp mostly waits at another barrier than this one, which the
 * processor's stack of return addresses would get wrong.
 */
#include <stddef.h>

#include "jit/run/sync.h"

_Static_assert(offsetof(sw_jit_ctx, ring) == 0, "see below");
_Static_assert(offsetof(sw_jit_ctx, next) == 8, "see below");
_Static_assert(offsetof(sw_jit_ctx, before) == 16, "see below");
_Static_assert(offsetof(sw_jit_ctx, fiber) == 24, "see below");
_Static_assert(offsetof(sw_jit_ctx, at) == 32, "see below");
_Static_assert(offsetof(sw_jit_barrier_ring, arrived) == 0, "see below");
_Static_assert(offsetof(sw_jit_barrier_ring, live) == 4, "see below");
_Static_assert(offsetof(sw_jit_barrier_ring, root) == 8, "see below");

__asm__(".text\n"
        ".globl sw_jit_sync\n"
        ".hidden sw_jit_sync\n"
        ".type sw_jit_sync, @function\n"
        ".align 64\n"
        "sw_jit_sync:\n"
        "    movq (%r12), %rax\n"
        "    movl %r13d, 32(%r12)\n"
        "    testq %rax, %rax\n"
        "    jz 2f\n"
        "    movl (%rax), %ecx\n"
        "    movq 24(%r12), %rdx\n"
        "    incl %ecx\n"
        "    cmpl 4(%rax), %ecx\n"
        "    je 1f\n"
        "    movl %ecx, (%rax)\n"
        "    leaq 3f(%rip), %rcx\n"
        "    pushq %rbp\n"
        "    pushq %r12\n"
        "    pushq %rcx\n"
        "    movq 8(%r12), %rax\n"
        "    movq %rsp, (%rdx)\n"
        "    movq 24(%rax), %rdx\n"
        "    movq (%rdx), %rsp\n"
        "    popq %rcx\n"
        "    jmpq *%rcx\n"
        "1:\n"
        "    movl $0, (%rax)\n"
        "    movq %r12, %rax\n"
        "    ret\n"
        "3:\n"
        "    popq %rcx\n"
        "    testq %rax, %rax\n"
        "    jz 4f\n"
        "5:  popq %rbp\n"
        "    popq %rcx\n"
        "    jmpq *%rcx\n"
        "4:  movq %rcx, %rax\n"
        "    jmp 5b\n"
        "2:\n"
        "    movq %r12, %rdi\n"
        "    movl %r13d, %esi\n"
        "    jmp sw_jit_sync_alone\n"
        ".size sw_jit_sync, . - sw_jit_sync\n");

/* The stack of a warp that is done is not needed any more. Whoever goes on next
 * finds 0 in rax, as after run/fiber.c's switch. */
__asm__(".text\n"
        ".globl sw_jit_done\n"
        ".hidden sw_jit_done\n"
        ".type sw_jit_done, @function\n"
        ".align 64\n"
        "sw_jit_done:\n"
        "    movq (%rdi), %rcx\n"
        "    testq %rcx, %rcx\n"
        "    jz 3f\n"
        "    movq $0, (%rdi)\n"
        "    movl 4(%rcx), %esi\n"
        "    decl %esi\n"
        "    movl %esi, 4(%rcx)\n"
        "    jz 2f\n"
        "    movq 8(%rdi), %rdx\n"
        "    movq 16(%rdi), %rdi\n"
        "    movq %rdx, 8(%rdi)\n"
        "    movq %rdi, 16(%rdx)\n"
        "    cmpl %esi, (%rcx)\n"
        "    jne 1f\n"
        "    movl $0, (%rcx)\n"
        "1:  movq 24(%rdx), %rdx\n"
        "    movq (%rdx), %rsp\n"
        "    xorl %eax, %eax\n"
        "    popq %rcx\n"
        "    jmpq *%rcx\n"
        "2:  movq 8(%rcx), %rcx\n"
        "    movq 8(%rcx), %rsp\n"
        "    popq %rcx\n"
        "    jmpq *%rcx\n"
        "3:  ret\n"
        ".size sw_jit_done, . - sw_jit_done\n");
