/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry.h - how exported functions are entered, so that calls can be observed
 * (rt/calls.h) without a line in each of them.
 *
 * A library's headers rename its entry points: the function that a file defines
 * as cuMemAlloc_v2 has the symbol sw_do_cuMemAlloc_v2, and calls between our
 * own functions go there. What is exported as cuMemAlloc_v2 are the few
 * instructions of SW_ENTRY_STUB: a test of sw_calls_observed and a jump. Both
 * come from the rows of entries.def.
 *
 * x86-64, System V calls. A function's arguments may take up to
 * SW_ENTRY_STACK_WORDS of the stack and its result be an integer, a pointer,
 * one or two floats, or a struct in memory.
 */
#ifndef SW_API_ENTRY_H
#define SW_API_ENTRY_H

/* For a header that is included before the functions are declared. */
#define SW_ENTRY_PRAGMA(text) _Pragma(#text)
#define SW_ENTRY_RENAME(symbol)                                                \
    SW_ENTRY_PRAGMA(redefine_extname symbol sw_do_##symbol)

/*
 * The exported function, and its row (sw_rt_entry). %r10 and %r11 are the two
 * registers that carry no argument. sw_entry_SYMBOL is the same address under a
 * name that a file of the library can use. The file has set sw_entry_runtime,
 * a number of the assembler's: the row's `runtime`.
 */
#define SW_ENTRY_STUB(name, symbol)                                            \
    __asm__(".section .rodata.str1.1,\"aMS\",@progbits,1\n"                    \
            "8: .asciz \"" #name "\"\n"                                        \
            "9: .asciz \"" #symbol "\"\n"                                      \
            ".section .data.rel.ro,\"aw\",@progbits\n"                         \
            ".align 8\n"                                                       \
            "7: .quad 8b, 9b, sw_do_" #symbol ", sw_entry_runtime\n"           \
            ".text\n"                                                          \
            ".globl " #symbol ", sw_entry_" #symbol "\n"                       \
            ".hidden sw_entry_" #symbol "\n"                                   \
            ".type " #symbol ", @function\n"                                   \
            ".align 16\n" #symbol ":\n"                                        \
            "sw_entry_" #symbol ":\n"                                          \
            "    .cfi_startproc\n"                                             \
            "    cmpl $0, sw_calls_observed(%rip)\n"                           \
            "    jne 1f\n"                                                     \
            "    jmp sw_do_" #symbol "\n"                                      \
            "1:  leaq 7b(%rip), %r11\n"                                        \
            "    jmp sw_entry_observed\n"                                      \
            "    .cfi_endproc\n"                                               \
            ".size " #symbol ", . - " #symbol "\n");

/*
 * What a row of state NONE does where no file says more: returns what
 * `unsupported` returns for its name. Of the other states: nothing.
 */
#define SW_ENTRY_BODY(symbol, state, unsupported)                              \
    SW_ENTRY_BODY_##state(symbol, unsupported)
#define SW_ENTRY_BODY_DONE(symbol, unsupported)
#define SW_ENTRY_BODY_PARTIAL(symbol, unsupported)
#define SW_ENTRY_BODY_NONE(symbol, unsupported)                                \
    int sw_none_##symbol(void) __asm__("sw_do_" #symbol)                       \
        __attribute__((weak, visibility("hidden")));                           \
    int sw_none_##symbol(void)                                                 \
    {                                                                          \
        return (int)unsupported(#symbol);                                      \
    }

enum { SW_ENTRY_STACK_WORDS = 24 };

/*
 * Where the observed calls go: %r11 is the row. Builds an sw_rt_call (offsets
 * below), says that the call begins, calls the function with the same
 * registers and a copy of the stack, says that it ends. Once in each library,
 * which has sw_calls_begin and sw_calls_end.
 */
#define SW_ENTRY_OBSERVED                                                      \
    __asm__(".text\n"                                                          \
            ".type sw_entry_observed, @function\n"                             \
            ".align 16\n"                                                      \
            "sw_entry_observed:\n"                                             \
            "    .cfi_startproc\n"                                             \
            "    pushq %rbp\n"                                                 \
            "    .cfi_def_cfa_offset 16\n"                                     \
            "    .cfi_offset %rbp, -16\n"                                      \
            "    movq %rsp, %rbp\n"                                            \
            "    .cfi_def_cfa_register %rbp\n"                                 \
            "    subq $304, %rsp\n"                                            \
            "    movq %rdi, (%rsp)\n"                                          \
            "    movq %rsi, 8(%rsp)\n"                                         \
            "    movq %rdx, 16(%rsp)\n"                                        \
            "    movq %rcx, 24(%rsp)\n"                                        \
            "    movq %r8, 32(%rsp)\n"                                         \
            "    movq %r9, 40(%rsp)\n"                                         \
            "    movaps %xmm0, 48(%rsp)\n"                                     \
            "    movaps %xmm1, 64(%rsp)\n"                                     \
            "    movaps %xmm2, 80(%rsp)\n"                                     \
            "    movaps %xmm3, 96(%rsp)\n"                                     \
            "    movaps %xmm4, 112(%rsp)\n"                                    \
            "    movaps %xmm5, 128(%rsp)\n"                                    \
            "    movaps %xmm6, 144(%rsp)\n"                                    \
            "    movaps %xmm7, 160(%rsp)\n"                                    \
            "    movq %r11, 176(%rsp)\n"                                       \
            "    leaq 16(%rbp), %rax\n"                                        \
            "    movq %rax, 184(%rsp)\n"                                       \
            "    movq %rsp, %rdi\n"                                            \
            "    call sw_calls_begin\n"                                        \
            "    movq (%rsp), %rdi\n"                                          \
            "    movq 8(%rsp), %rsi\n"                                         \
            "    movq 16(%rsp), %rdx\n"                                        \
            "    movq 24(%rsp), %rcx\n"                                        \
            "    movq 32(%rsp), %r8\n"                                         \
            "    movq 40(%rsp), %r9\n"                                         \
            "    movaps 48(%rsp), %xmm0\n"                                     \
            "    movaps 64(%rsp), %xmm1\n"                                     \
            "    movaps 80(%rsp), %xmm2\n"                                     \
            "    movaps 96(%rsp), %xmm3\n"                                     \
            "    movaps 112(%rsp), %xmm4\n"                                    \
            "    movaps 128(%rsp), %xmm5\n"                                    \
            "    movaps 144(%rsp), %xmm6\n"                                    \
            "    movaps 160(%rsp), %xmm7\n"                                    \
            "    movq 176(%rsp), %r11\n"                                       \
            "    .set sw_entry_word, 16 + 8 * 23\n"                            \
            "    .rept 24\n"                                                   \
            "    pushq sw_entry_word(%rbp)\n"                                  \
            "    .set sw_entry_word, sw_entry_word - 8\n"                      \
            "    .endr\n"                                                      \
            "    call *16(%r11)\n"                                             \
            "    addq $192, %rsp\n"                                            \
            "    movq %rax, 192(%rsp)\n"                                       \
            "    movq %rsp, %rdi\n"                                            \
            "    movaps %xmm0, -32(%rbp)\n"                                    \
            "    movaps %xmm1, -16(%rbp)\n"                                    \
            "    call sw_calls_end\n"                                          \
            "    movaps -32(%rbp), %xmm0\n"                                    \
            "    movaps -16(%rbp), %xmm1\n"                                    \
            "    movq 192(%rsp), %rax\n"                                       \
            "    leave\n"                                                      \
            "    .cfi_def_cfa %rsp, 8\n"                                       \
            "    ret\n"                                                        \
            "    .cfi_endproc\n"                                               \
            ".size sw_entry_observed, . - sw_entry_observed\n")

/* What the code above takes for granted. */
#define SW_ENTRY_CHECK                                                         \
    _Static_assert(sizeof(sw_rt_call) <= 256 && SW_ENTRY_STACK_WORDS == 24 &&  \
                       offsetof(sw_rt_call, floats) == 48 &&                   \
                       offsetof(sw_rt_call, entry) == 176 &&                   \
                       offsetof(sw_rt_call, stack) == 184 &&                   \
                       offsetof(sw_rt_call, result) == 192 &&                  \
                       offsetof(sw_rt_entry, fn) == 16 &&                      \
                       offsetof(sw_rt_entry, runtime) == 24,                   \
                   "sw_entry_observed knows these")

#endif
