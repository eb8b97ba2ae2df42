/* SPDX-License-Identifier: Apache-2.0 */
/* image.c - the PTX of kernels.cu; empty where Softwarp was built without
 * clang.
 */
#include "lib/rand/image.h"

#ifdef SW_LIB_PTX
__asm__(".section .rodata\n"
        ".globl rand_image\n"
        ".hidden rand_image\n"
        "rand_image: .incbin \"" SW_LIB_PTX "\"\n"
        ".byte 0\n"
        ".text\n");
#else
const char rand_image[] = "";
#endif
