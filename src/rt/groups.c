/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.c - grid barriers for compilers that call a device function for them,
 * as those of Python do: cudaCGSynchronize of the handle that
 * cudaCGGetIntrinsicHandle gave for scope 1, the grid. The vendor's device
 * runtime passes both on to its driver by the names of __cuda_syscall_CGS_.
 *
 * What follows is the barrier of include/cuda/cooperative_groups.h in PTX: the
 * handle is the workspace of a cooperative launch, 0 in any other; the word at
 * +4 counts, block 0 flips its highest bit when all have come.
 */
#include "rt/groups.h"

#include <string.h>

static const char text[] =
    ".version 6.0\n.target sm_30\n.address_size 64\n"
    ".weak .func (.param .b64 handle) __cuda_syscall_CGS_get_intrinsic_handle("
    ".param .b32 scope)\n{\n"
    "  .reg .b32 %r<4>; .reg .b64 %d<3>; .reg .pred %p;\n"
    "  ld.param.u32 %r1, [scope];\n"
    "  mov.u32 %r2, %envreg1;\n"
    "  mov.u32 %r3, %envreg2;\n"
    "  mov.b64 %d1, {%r3, %r2};\n"
    "  setp.eq.u32 %p, %r1, 1;\n"
    "  selp.b64 %d2, %d1, 0, %p;\n"
    "  st.param.b64 [handle], %d2;\n"
    "  ret;\n}\n"
    /* flags: 1 if one thread of each block comes, between barriers */
    ".weak .func (.param .b32 status) __cuda_syscall_CGS_sync("
    ".param .b64 handle, .param .b32 flags)\n{\n"
    "  .reg .b32 %r<16>; .reg .b64 %d<3>; .reg .pred %p<6>;\n"
    "  ld.param.u64 %d1, [handle];\n"
    "  ld.param.u32 %r1, [flags];\n"
    "  mov.u32 %r15, 999;\n" /* cudaErrorUnknown */
    "  setp.eq.s64 %p1, %d1, 0;\n"
    "  @%p1 bra done;\n"
    "  mov.u32 %r15, 0;\n"
    "  and.b32 %r1, %r1, 1;\n"
    "  setp.ne.u32 %p2, %r1, 0;\n"
    "  @%p2 bra meet;\n"
    "  bar.sync 0;\n"
    "  mov.u32 %r2, %tid.x;\n"
    "  mov.u32 %r3, %tid.y;\n"
    "  mov.u32 %r4, %tid.z;\n"
    "  or.b32 %r2, %r2, %r3;\n"
    "  or.b32 %r2, %r2, %r4;\n"
    "  setp.ne.u32 %p3, %r2, 0;\n"
    "  @%p3 bra wait;\n"
    "meet:\n"
    "  mov.u32 %r5, %nctaid.x;\n"
    "  mov.u32 %r6, %nctaid.y;\n"
    "  mov.u32 %r7, %nctaid.z;\n"
    "  mul.lo.u32 %r5, %r5, %r6;\n"
    "  mul.lo.u32 %r5, %r5, %r7;\n"
    "  mov.u32 %r6, %ctaid.x;\n"
    "  mov.u32 %r7, %ctaid.y;\n"
    "  mov.u32 %r8, %ctaid.z;\n"
    "  or.b32 %r6, %r6, %r7;\n"
    "  or.b32 %r6, %r6, %r8;\n"
    "  setp.eq.u32 %p4, %r6, 0;\n"
    "  sub.u32 %r9, 0x80000001, %r5;\n"
    "  selp.u32 %r9, %r9, 1, %p4;\n"
    "  membar.gl;\n"
    "  atom.add.u32 %r10, [%d1+4], %r9;\n"
    "spin:\n"
    "  ld.volatile.u32 %r11, [%d1+4];\n"
    "  xor.b32 %r11, %r11, %r10;\n"
    "  setp.ge.s32 %p5, %r11, 0;\n"
    "  @%p5 bra spin;\n"
    "  membar.gl;\n"
    "  @%p2 bra done;\n"
    "wait:\n"
    "  bar.sync 0;\n"
    "done:\n"
    "  st.param.b32 [status], %r15;\n"
    "  ret;\n}\n"
    ".weak .func (.param .b64 handle) cudaCGGetIntrinsicHandle("
    ".param .b32 scope)\n{\n"
    "  .reg .b32 %r; .reg .b64 %d;\n"
    "  ld.param.u32 %r, [scope];\n"
    "  { .param .b32 a; .param .b64 h; st.param.b32 [a], %r;\n"
    "  call (h), __cuda_syscall_CGS_get_intrinsic_handle, (a);\n"
    "  ld.param.b64 %d, [h]; }\n"
    "  st.param.b64 [handle], %d;\n"
    "  ret;\n}\n"
    ".weak .func (.param .b32 status) cudaCGSynchronize("
    ".param .b64 handle, .param .b32 flags)\n{\n"
    "  .reg .b32 %r<3>; .reg .b64 %d;\n"
    "  ld.param.u64 %d, [handle];\n"
    "  ld.param.u32 %r1, [flags];\n"
    "  { .param .b64 h; .param .b32 f; .param .b32 s;\n"
    "  st.param.b64 [h], %d; st.param.b32 [f], %r1;\n"
    "  call (s), __cuda_syscall_CGS_sync, (h, f);\n"
    "  ld.param.b32 %r2, [s]; }\n"
    "  st.param.b32 [status], %r2;\n"
    "  ret;\n}\n";

bool
sw_rt_wants_groups(const sw_module *part)
{
    static const char *const names[] = {
        "__cuda_syscall_CGS_get_intrinsic_handle", "__cuda_syscall_CGS_sync",
        "cudaCGGetIntrinsicHandle", "cudaCGSynchronize"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const sw_sym *s = sw_module_find(part, names[i]);
        if (s && s->linkage == SW_LINK_EXTERN)
            return true;
    }
    return false;
}

sw_module *
sw_rt_groups_parse(sw_diag *diag)
{
    return sw_ptx_parse("grid barrier", text, sizeof text - 1, diag);
}
