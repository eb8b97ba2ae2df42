/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep.c - what compiled code calls in rare cases only, so that all registers
 * are as before: it holds values in most of them, and would be larger if it had
 * to save those around each such call. The processor saves them, by one
 * instruction.
 */
#include "jit/run/keep.h"

/* The area of XSAVE (Intel's manual, volume 1, 13.4): registers of SSE, AVX and
 * AVX-512, bits 1, 2, 5, 6 and 7 of a mask; the last one's end at 2,688 bytes.
 * Its header is at 512. Without AVX there are only those that FXSAVE saves. */
#define PARTS "0xe6"
#define AREA  "2688"

/* keep: what becomes of the result; rax lies where it will be taken from. */
#define KEEPING(name, function, keep)                                          \
    __asm__(".text\n"                                                          \
            ".globl " name "\n"                                                \
            ".hidden " name "\n"                                               \
            ".type " name ", @function\n"                                      \
            ".align 16\n" name ":\n"                                           \
            "    .cfi_startproc\n"                                             \
            "    pushq %rbp\n"                                                 \
            "    .cfi_def_cfa_offset 16\n"                                     \
            "    .cfi_offset %rbp, -16\n"                                      \
            "    movq %rsp, %rbp\n"                                            \
            "    .cfi_def_cfa_register %rbp\n"                                 \
            "    pushq %rax\n"                                                 \
            "    pushq %rcx\n"                                                 \
            "    pushq %rdx\n"                                                 \
            "    pushq %rsi\n"                                                 \
            "    pushq %rdi\n"                                                 \
            "    pushq %r8\n"                                                  \
            "    pushq %r9\n"                                                  \
            "    pushq %r10\n"                                                 \
            "    pushq %r11\n"                                                 \
            "    pushq %rbx\n"                                                 \
            "    subq $" AREA ", %rsp\n"                                       \
            "    andq $-64, %rsp\n"                                            \
            "    movzbl sw_jit_keep_has_avx(%rip), %ebx\n"                     \
            "    testl %ebx, %ebx\n"                                           \
            "    jz 1f\n"                                                      \
            "    movq %rdx, %r8\n"                                             \
            "    xorl %edx, %edx\n"                                            \
            "    movq %rdx, 512(%rsp)\n"                                       \
            "    movq %rdx, 520(%rsp)\n"                                       \
            "    movq %rdx, 528(%rsp)\n"                                       \
            "    movq %rdx, 536(%rsp)\n"                                       \
            "    movq %rdx, 544(%rsp)\n"                                       \
            "    movq %rdx, 552(%rsp)\n"                                       \
            "    movq %rdx, 560(%rsp)\n"                                       \
            "    movq %rdx, 568(%rsp)\n"                                       \
            "    movl $" PARTS ", %eax\n"                                      \
            "    xsave64 (%rsp)\n"                                             \
            "    vzeroupper\n"                                                 \
            "    movq %r8, %rdx\n"                                             \
            "    jmp 2f\n"                                                     \
            "1:  fxsave64 (%rsp)\n"                                            \
            "2:  call " function "\n" keep "    testl %ebx, %ebx\n"            \
            "    jz 3f\n"                                                      \
            "    xorl %edx, %edx\n"                                            \
            "    movl $" PARTS ", %eax\n"                                      \
            "    xrstor64 (%rsp)\n"                                            \
            "    jmp 4f\n"                                                     \
            "3:  fxrstor64 (%rsp)\n"                                           \
            "4:  leaq -80(%rbp), %rsp\n"                                       \
            "    popq %rbx\n"                                                  \
            "    popq %r11\n"                                                  \
            "    popq %r10\n"                                                  \
            "    popq %r9\n"                                                   \
            "    popq %r8\n"                                                   \
            "    popq %rdi\n"                                                  \
            "    popq %rsi\n"                                                  \
            "    popq %rdx\n"                                                  \
            "    popq %rcx\n"                                                  \
            "    popq %rax\n"                                                  \
            "    popq %rbp\n"                                                  \
            "    .cfi_def_cfa %rsp, 8\n"                                       \
            "    ret\n"                                                        \
            "    .cfi_endproc\n"                                               \
            ".size " name ", . - " name "\n")

KEEPING("sw_jit_keep_step", "sw_jit_help_step", "");
KEEPING("sw_jit_keep_plain_step", "sw_jit_plain_step", "");
KEEPING("sw_jit_keep_window", "sw_jit_help_window",
        "    movq %rax, -8(%rbp)\n");
