/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_test.c - the PTX front end: what each form becomes in the IR, and what
 * is said about text that is wrong. Every module it makes has to verify.
 */
#include "front/ptx/ptx.h"

#include "check.h"

static const char head[] = ".version 8.0\n.target sm_80\n.address_size 64\n";
static const char regs[] =
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;\n"
    ".reg .f32 %f<9>; .reg .f64 %g<9>; .reg .b128 %q<9>; .reg .u8 %b<9>;\n";

typedef struct {
    sw_module *module;
    sw_diag diag;
    sw_buf text; /* of the diagnostics */
} parsed;

static parsed
parse(const char *text)
{
    parsed out;
    sw_diag_init(&out.diag);
    sw_buf_init(&out.text);
    out.module = sw_ptx_parse("t.ptx", text, strlen(text), &out.diag);
    if (out.module)
        CHECK_EQ(sw_ir_verify(out.module, &out.diag), SW_OK);
    sw_diag_print(&out.diag, &out.text);
    sw_buf_puts(&out.text, "");
    return out;
}

static void
finish(parsed *p)
{
    sw_module_destroy(p->module);
    sw_buf_finish(&p->text);
    sw_diag_finish(&p->diag);
}

/* A buffer with the text of a module whose one entry has `body`. */
static sw_buf
entry(const char *body)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text, "%s.global .align 8 .b8 var[64];\n", head);
    sw_buf_printf(&text, ".entry k (.param .u64 a)\n{\n%s%s\n}\n", regs, body);
    return text;
}

/* Without register numbers (#5) and details in brackets that say the line. */
static void
simplify(const char *in, sw_buf *out)
{
    for (const char *p = in; *p; p++) {
        if (*p == '#' && p > in && p[-1] != ' ') {
            while (p[1] >= '0' && p[1] <= '9')
                p++;
        } else if (strncmp(p, " [line=", 7) == 0) {
            while (p[1] && *p != ']')
                p++;
        } else if (strncmp(p, " line=", 6) == 0) {
            while (p[1] && p[1] != ']')
                p++;
        } else if (*p != '\n') {
            sw_buf_add(out, p, 1);
        }
    }
}

/* All instructions but the last ret, joined by "; ". */
static void
print_body(const sw_module *module, sw_buf *out)
{
    const sw_fn *fn = module->fns[module->fn_count - 1];
    for (uint32_t b = 0; b < fn->block_count; b++) {
        const sw_block *block = fn->blocks[b];
        bool last = b + 1 == fn->block_count;
        for (uint32_t i = 0; i + last < block->count; i++) {
            sw_buf one;
            sw_buf_init(&one);
            sw_ir_print_ins(fn, block->ins[i], &one);
            if (out->n)
                sw_buf_puts(out, "; ");
            const char *start = one.p;
            while (*start == ' ')
                start++;
            simplify(start, out);
            sw_buf_finish(&one);
        }
        for (uint32_t i = 0; i < block->target_count; i++)
            sw_buf_printf(out, "%s%u", i ? " " : " -> ", block->targets[i]);
    }
    sw_buf_puts(out, "");
}

typedef struct {
    const char *ptx, *ir;
} lowering;

static void
check_lowering(const lowering *table, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sw_buf text = entry(table[i].ptx), body;
        parsed p = parse(text.p);
        sw_buf_init(&body);
        if (p.module)
            print_body(p.module, &body);
        bool same = p.module && strcmp(body.p, table[i].ir) == 0;
        CHECK(same);
        if (!same)
            printf("  %s\n  is %s\n  not %s\n%s", table[i].ptx,
                   p.module ? body.p : "wrong", table[i].ir, p.text.p);
        sw_buf_finish(&body);
        sw_buf_finish(&text);
        finish(&p);
    }
}

#define CHECK_LOWERING(table)                                                  \
    check_lowering(table, sizeof table / sizeof *table)

CASE(lowers_arithmetic)
{
    static const lowering table[] = {
        {"add.s32 %r1, %r2, %r3;", "add s32 %r1 = %r2, %r3"},
        {"add.sat.s32 %r1, %r2, -1;", "add s32 %r1 = %r2, 0xffffffff [sat]"},
        {"mul.wide.s32 %d1, %r1, 4;", "mul.wide s32 %d1 = %r1, 4"},
        {"mad.hi.sat.s32 %r1, %r2, %r3, %r4;",
         "mad.hi s32 %r1 = %r2, %r3, %r4 [sat]"},
        {"mad.rn.f32 %f1, %f2, %f3, %f4;",
         "fma f32 %f1 = %f2, %f3, %f4 [rnd=rn]"},
        {"mad24.hi.s32 %r1, %r2, %r3, %r4;",
         "mad24.hi s32 %r1 = %r2, %r3, %r4"},
        {"shl.b64 %d1, %d2, %r1;", "shl b64 %d1 = %d2, %r1"},
        {"bfe.s64 %d1, %d2, 3, %r1;", "bfe s64 %d1 = %d2, 3, %r1"},
        {"bfi.b32 %r1, %r2, %r3, 4, 5;", "bfi b32 %r1 = %r2, %r3, 4, 5"},
        {"popc.b64 %r1, %d1;", "popc b64 %r1 = %d1"},
        {"bfind.shiftamt.s64 %r1, %d1;", "bfind s64 %r1 = %d1 [sub=1]"},
        {"szext.wrap.s32 %r1, %r2, %r3;", "szext s32 %r1 = %r2, %r3 [sub=1]"},
        {"shf.l.wrap.b32 %r1, %r2, %r3, %r4;",
         "shf.l b32 %r1 = %r2, %r3, %r4 [sub=1]"},
        {"prmt.b32.ecl %r1, %r2, %r3, %r4;",
         "prmt b32 %r1 = %r2, %r3, %r4 [sub=4]"},
        {"dp2a.hi.s32.u32 %r1, %r2, %r3, %r4;",
         "dp2a s32:u32 %r1 = %r2, %r3, %r4 [sub=1]"},
        {"lop3.b32 %r1, %r2, %r3, %r4, 0xE8;",
         "lop3 b32 %r1 = %r2, %r3, %r4 [imm=232]"},
        {"lop3.or.b32 %r1|%p1, %r2, %r3, %r4, 1, !%p2;",
         "lop3 b32 %r1, %p1 = %r2, %r3, %r4, !%p2 [boolop=or imm=1]"},
        {"add.rn.ftz.f32 %f1, %f2, 1.5;",
         "add f32 %f1 = %f2, 0x3fc00000 [ftz rnd=rn]"},
        {"add.f64 %g1, %g2, 0f3F800000;",
         "add f64 %g1 = %g2, 0x3ff0000000000000"},
        {"mul.f16x2 %r1, %r2, %r3;", "mul f16x2 %r1 = %r2, %r3"},
        {"div.full.f32 %f1, %f2, %f3;", "div f32 %f1 = %f2, %f3 [full]"},
        {"rcp.approx.ftz.f64 %g1, %g2;", "rcp f64 %g1 = %g2 [ftz approx]"},
        {"ex2.approx.f32 %f1, %f2;", "ex2 f32 %f1 = %f2 [approx]"},
        {"min.NaN.xorsign.abs.f32 %f1, %f2, %f3;",
         "min f32 %f1 = %f2, %f3 [nan xorsign]"},
        {"testp.subnormal.f64 %p1, %g1;", "testp f64 %p1 = %g1 [sub=5]"},
        {"fma.rn.relu.bf16x2 %r1, %r2, %r3, %r4;",
         "fma bf16x2 %r1 = %r2, %r3, %r4 [relu rnd=rn]"},
        {"add.f32.bf16 %f1, %h1, %f2;",
         "cvt f32:bf16 #4 = %h1; add f32 %f1 = #4, %f2"},
        {"and.pred %p1, %p2, %p3;", "and pred %p1 = %p2, %p3"},
        {"not.b16 %h1, %h2;", "not b16 %h1 = %h2"},
        {"mul.hi.u32 %r1, %r2, (1 << 4) + WARP_SZ;",
         "mul.hi u32 %r1 = %r2, 48"},
        {"max.s32 %r1, %tid.x, 017;",
         "sreg u32 #2 = [sub=%tid.x]; max s32 %r1 = #2, 15"},
        {"add.u32 %r1, %r2, 0b101U;", "add u32 %r1 = %r2, 5"},
    };
    CHECK_LOWERING(table);
}

CASE(lowers_carries)
{
    static const lowering table[] = {
        {"add.cc.u32 %r1, %r2, %r3;", "addc u32 %r1, %cc = %r2, %r3, 0"},
        {"addc.cc.s64 %d1, %d2, 0;", "addc s64 %d1, %cc = %d2, 0, %cc"},
        {"addc.u32 %r1, %r2, %r3;", "addc u32 %r1 = %r2, %r3, %cc"},
        {"sub.cc.u32 %r1, %r2, %r3; subc.u32 %r1, %r2, %r3;",
         "subc u32 %r1, %cc = %r2, %r3, 1; subc u32 %r1 = %r2, %r3, %cc"},
        {"mad.lo.cc.u32 %r1, %r2, %r3, %r4;",
         "madc.lo u32 %r1, %cc = %r2, %r3, %r4, 0"},
        {"madc.hi.cc.u32 %r1, %r2, %r3, %r4;",
         "madc.hi u32 %r1, %cc = %r2, %r3, %r4, %cc"},
    };
    CHECK_LOWERING(table);
}

CASE(lowers_comparison)
{
    static const lowering table[] = {
        {"setp.lt.s32 %p1, %r1, %r2;", "setp s32 %p1 = %r1, %r2 [cmp=lt]"},
        {"setp.gtu.ftz.f32 %p1, %f1, 0f00000000;",
         "setp f32 %p1 = %f1, 0 [ftz cmp=gtu]"},
        {"setp.lo.and.u64 %p1|%p2, %d1, %d2, !%p3;",
         "setp u64 %p1, %p2 = %d1, %d2, !%p3 [cmp=lo boolop=and]"},
        {"setp.eq.f16x2 %p1|%p2, %r1, %r2;",
         "setp f16x2 %p1, %p2 = %r1, %r2 [cmp=eq]"},
        {"set.nan.u32.f32 %r1, %f1, %f2;",
         "set u32:f32 %r1 = %f1, %f2 [cmp=nan]"},
        {"set.ge.xor.f32.s32 %f1, %r1, %r2, %p1;",
         "set f32:s32 %f1 = %r1, %r2, %p1 [cmp=ge boolop=xor]"},
        {"selp.f64 %g1, %g2, 1.0, %p1;",
         "selp f64 %g1 = %g2, 0x3ff0000000000000, %p1"},
        {"slct.f32.s32 %f1, %f2, %f3, %r1;",
         "slct f32:s32 %f1 = %f2, %f3, %r1"},
    };
    CHECK_LOWERING(table);
}

CASE(lowers_moves)
{
    static const lowering table[] = {
        {"mov.u32 %r1, %tid.x;", "sreg u32 %r1 = [sub=%tid.x]"},
        {"mov.u16 %h1, %ntid.y;",
         "sreg u32 #2 = [sub=%ntid.y]; cvt u16:u32 %h1 = #2"},
        {"mov.u64 %d1, %clock;",
         "sreg u32 #2 = [sub=%clock]; cvt u64:u32 %d1 = #2"},
        {"mov.u32 %r1, %envreg2;", "sreg u32 %r1 = [sub=%envreg imm=2]"},
        {"mov.v4.u32 {%r1, _, %r2, %r3}, %ctaid;",
         "sreg u32 #4 = [sub=%ctaid.x]; sreg u32 #5 = [sub=%ctaid.y]; "
         "sreg u32 #6 = [sub=%ctaid.z]; mov u32 %r1 = #4; mov u32 %r2 = "
         "#6; mov u32 %r3 = 0"},
        {"mov.b64 %d1, {%r1, 7};", "pack b64:b32 %d1 = %r1, 7"},
        {"mov.b32 {_, %h1}, %r1;", "unpack b32:b16 _, %h1 = %r1"},
        {"mov.b128 %q1, {%d1, %d2};", "pack b128:b64 %q1 = %d1, %d2"},
        {"mov.u64 %d1, var;", "addr b64 %d1 = &var [space=global]"},
        {"mov.u64 %d1, var+8;", "addr b64 %d1 = &var+8 [space=global]"},
        {"mov.u64 %d1, a;", "addr b64 %d1 = &a@0 [space=param]"},
        {"mov.pred %p1, 1;", "mov pred %p1 = 1"},
        {"mov.f32 %f1, 0f7F800000;", "mov f32 %f1 = 0x7f800000"},
        {"mov.b16 %h1, -1;", "mov b16 %h1 = 65535"},
        {".reg .v2 .f32 %v; mov.f32 %v.y, %v.x;", "mov f32 %v.y = %v.x"},
        {"mov.b16 %h1, {%b1, %b2};",
         "cvt u32:u8 #4 = %b1; shl b32 #5 = #4, 0; or b32 #6 = 0, #5; "
         "cvt u32:u8 #7 = %b2; shl b32 #8 = #7, 8; or b32 #9 = #6, #8; "
         "cvt u16:u32 #10 = #9; mov b16 %h1 = #10"},
        {"cvta.to.shared.u64 %d1, %d2;",
         "cvta b64 %d1 = %d2 [sub=1 space=shared]"},
        {"isspacep.global %p1, %d1;", "isspacep b64 %p1 = %d1 [space=global]"},
    };
    CHECK_LOWERING(table);
}

CASE(lowers_conversions)
{
    static const lowering table[] = {
        {"cvt.u32.u16 %r1, %h1;", "cvt u32:u16 %r1 = %h1"},
        {"cvt.rzi.sat.s32.f32 %r1, %f1;",
         "cvt s32:f32 %r1 = %f1 [sat rnd=rzi]"},
        {"cvt.u16.u32 %h1, %d1;", "cvt u32:u64 #3 = %d1; cvt u16:u32 %h1 = #3"},
        {"cvt.u8.u32 %r1, %r2;", "cvt u8:u32 #3 = %r2; cvt u32:u16 %r1 = #3"},
        {"cvt.s8.s32 %d1, %r2;", "cvt s8:s32 #3 = %r2; cvt s64:s16 %d1 = #3"},
        {"cvt.s32.s8 %r1, %d1;", "cvt u16:u64 #3 = %d1; cvt s32:s8 %r1 = #3"},
        {"cvt.rn.f16x2.f32 %r1, %f1, %f2;",
         "cvt f16x2:f32 %r1 = %f1, %f2 [rnd=rn]"},
        {"cvt.rn.satfinite.e5m2x2.f32 %h1, %f1, %f2;",
         "cvt e5m2x2:f32 %h1 = %f1, %f2 [sat rnd=rn]"},
        {"cvt.rna.tf32.f32 %r1, %f1;", "cvt tf32:f32 %r1 = %f1 [rnd=rna]"},
        {"cvt.pack.sat.s8.s32.b32 %r1, %r2, %r3, %r4;",
         "cvt.pack s8:s32 %r1 = %r2, %r3, %r4 [sat]"},
        {"cvt.rmi.f64.f64 %g1, %g2;", "cvt f64:f64 %g1 = %g2 [rnd=rmi]"},
    };
    CHECK_LOWERING(table);
}

CASE(lowers_memory)
{
    static const lowering table[] = {
        {"ld.param.u64 %d1, [a];", "ld u64 %d1 = &a@0 [space=param vec=1]"},
        {"ld.global.v4.f32 {%f1, %f2, _, %f4}, [%d1+16];",
         "ld f32 %f1, %f2, _, %f4 = %d1 [space=global vec=4 offset=16]"},
        {"ld.u8 %r1, [%d1+-4];", "ld u8 %r1 = %d1 [vec=1 offset=-4]"},
        {"ld.global.nc.L2::128B.u32 %r1, [var+4];",
         "ld u32 %r1 = &var [space=global vec=1 cache=nc offset=4]"},
        {"ld.volatile.shared.s16 %r1, [%r2];",
         "ld s16 %r1 = %r2 [space=shared vec=1 order=volatile]"},
        {"ld.acquire.gpu.global.b64 %d1, [%d2];",
         "ld b64 %d1 = %d2 [space=global vec=1 order=acquire scope=gpu]"},
        {"ld.mmio.relaxed.sys.global.u32 %r1, [%d1];",
         "ld u32 %r1 = %d1 [space=global vec=1 order=mmio scope=sys]"},
        {"ld.shared.u32 %r1, [64];", "ld u32 %r1 = 64 [space=shared vec=1]"},
        {"ld.global.u8 %r1, [var[3]];",
         "ld u8 %r1 = &var [space=global vec=1 offset=3]"},
        {"st.global.cs.v2.u16 [%d1], {%h1, 3};",
         "st u16 %d1, %h1, 3 [space=global vec=2 cache=cs]"},
        {"st.u8 [%d1], %r1;", "st u8 %d1, %r1 [vec=1]"},
        {"st.release.sys.f32 [%d1], 1.0;",
         "st f32 %d1, 0x3f800000 [vec=1 order=release scope=sys]"},
        {"atom.global.add.f32 %f1, [%d1], 0f3F800000;",
         "atom f32 %f1 = %d1, 0x3f800000 [sub=add space=global vec=1]"},
        {"atom.acq_rel.gpu.shared.cas.b32 %r1, [%r2+4], %r3, %r4;",
         "atom b32 %r1 = %r2, %r3, %r4 [sub=cas space=shared vec=1 "
         "order=acq_rel scope=gpu offset=4]"},
        {"atom.exch.b64 _, [%d1], %d2;",
         "atom b64 _ = %d1, %d2 [sub=exch vec=1]"},
        {"atom.global.add.noftz.f16x2 %r1, [%d1], %r2;",
         "atom f16x2 %r1 = %d1, %r2 [noftz sub=add space=global vec=1]"},
        {"red.global.max.s32 [%d1], %r1;",
         "red s32 %d1, %r1 [sub=max space=global vec=1]"},
        {"membar.gl;", "membar [order=sc scope=gpu]"},
        {"fence.acq_rel.cluster;", "membar [order=acq_rel scope=cluster]"},
        {"prefetch.global.L2 [%d1];", "prefetch %d1 [space=global]"},
        {"cp.async.cg.shared.global.L2::128B [%r1], [%d1+4], 16;",
         "add u64 #3 = %d1, 4; cp.async %r1, #3 [space=shared cache=cg "
         "imm=16]"},
        {"cp.async.ca.shared.global [%r1], [%d1], 4, %p1;",
         "selp b32 #4 = 0, 4, %p1; cp.async %r1, %d1, #4 [space=shared "
         "cache=ca imm=4]"},
        {"alloca.u64 %d1, 64, 16;", "alloca b64 %d1 = 64 [imm=16]"},
    };
    CHECK_LOWERING(table);
}

CASE(lowers_control)
{
    static const lowering table[] = {
        {"@%p1 bra L; mov.u32 %r1, 1; L: mov.u32 %r1, 2;",
         "@%p1 bra -> 2 1; mov u32 %r1 = 1; bra [falls] -> 2; mov u32 %r1 = 2"},
        {"bra.uni L; L:", "bra [uni] -> 1"},
        {"@!%p1 exit;", "@!%p1 bra -> 1 2; exit"},
        {"@%p1 trap;", "@%p1 bra -> 1 2; trap; exit"},
        {"@%p1 mov.u32 %r1, 2;", "@%p1 mov u32 %r1 = 2"},
        {"L: T: .branchtargets L, M; @%p1 brx.idx %r1, T; M:",
         "@%p1 bra -> 1 2; brx %r1 -> 0 2"},
        {"{ L: @%p1 bra L; } { L: @%p1 bra L; }",
         "@%p1 bra -> 0 1; @%p1 bra -> 1 2"},
        /* nobody goes to A, B and C */
        {"mov.u32 %r1, 1; A: mov.u32 %r1, 2; B: mov.u32 %r1, 3; L: C: "
         "mov.u32 %r1, 4; @%p1 bra L; D: mov.u32 %r1, 5; M: "
         "T: .branchtargets M, L; @%p2 brx.idx %r1, T; E:",
         "mov u32 %r1 = 1; mov u32 %r1 = 2; mov u32 %r1 = 3; bra [falls] -> 1; "
         "mov u32 %r1 = 4; @%p1 bra -> 1 2; mov u32 %r1 = 5; bra [falls] -> 3; "
         "@%p2 bra -> 4 5; brx %r1 -> 3 1"},
    };
    CHECK_LOWERING(table);
}

CASE(lowers_warps)
{
    static const lowering table[] = {
        {"bar.sync 0;", "bar 0 [aligned]"},
        {"barrier.arrive 1, 64;", "bar 1, 64 [sub=1]"},
        {"bar.red.popc.u32 %r1, 2, !%p1;",
         "bar u32:u32 %r1 = 2, !%p1 [aligned sub=2]"},
        {"bar.red.or.pred %p1, 2, 64, %p2;",
         "bar pred:pred %p1 = 2, 64, %p2 [aligned sub=4]"},
        {"bar.warp.sync %r1;", "bar.warp.sync %r1"},
        {"shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;",
         "shfl b32 %r1, %p1 = %r2, 1, 31, 0xffffffff [sub=1]"},
        {"shfl.idx.b32 %r1, %r2, %r3, 31;",
         "shfl b32 %r1 = %r2, %r3, 31 [sub=3]"},
        {"vote.sync.ballot.b32 %r1, !%p1, -1;",
         "vote b32 %r1 = !%p1, 0xffffffff [sub=3]"},
        {"vote.any.pred %p1, %p2;", "vote pred %p1 = %p2 [sub=1]"},
        {"match.all.sync.b64 %r1|%p1, %d1, -1;",
         "match b64 %r1, %p1 = %d1, 0xffffffff [sub=1]"},
        {"redux.sync.and.b32 %r1, %r2, -1;",
         "redux u32 %r1 = %r2, 0xffffffff [sub=and]"},
        {"activemask.b32 %r1;", "activemask b32 %r1 ="},
        {"elect.sync _|%p1, %r1;", "elect _, %p1 = %r1"},
        {"mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, "
         "[%r1], 16;",
         "mbarrier.arrive _ = %r1, 16 [space=shared order=release "
         "scope=cta imm=1]"},
        {"mbarrier.try_wait.parity.shared.b64 %p1, [%r1+8], 1;",
         "mbarrier.test_wait %p1 = %r1, 1 [sub=1 space=shared offset=8 "
         "imm=1]"},
    };
    CHECK_LOWERING(table);
}

CASE(lowers_textures)
{
    static const lowering table[] = {
        {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f5,%f6}];",
         "tex f32:f32 %f1, %f2, %f3, %f4 = %d1, %f5, %f6 [vec=4 geom=2d]"},
        {"tex.1d.v4.s32.s32 {%r1,_,_,_}, [%d1, {%r5}];",
         "tex s32:s32 %r1, _, _, _ = %d1, %r5 [vec=4]"},
        {"tex.level.a2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, %d2, "
         "{%r1,%f5,%f6,%f6}], %f7;",
         "tex f32:f32 %f1, %f2, %f3, %f4 = %d1, %d2, %r1, %f5, %f6, %f7 "
         "[sub=1 vec=4 geom=a2d imm=1]"},
        {"tld4.a.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f5,%f6}];",
         "tld4 f32:f32 %f1, %f2, %f3, %f4 = %d1, %f5, %f6 [vec=4 geom=2d "
         "imm=3]"},
        {"txq.height.b32 %r1, [%d1];", "txq b32 %r1 = %d1 [sub=1]"},
        {"suld.b.1d.b8.clamp %r1, [%d1, {%r2}];",
         "suld b8 %r1 = %d1, %r2 [sub=1 vec=1]"},
        {"sust.b.2d.v2.b32.zero [%d1, {%r1, %r2}], {%r3, %r4};",
         "sust b32 %d1, %r1, %r2, %r3, %r4 [sub=2 vec=2 geom=2d]"},
        {"sured.b.min.2d.s32.trap [%d1, {%r1, %r2}], %r3;",
         "sured s32 %d1, %r1, %r2, %r3 [vec=1 geom=2d imm=3]"},
    };
    CHECK_LOWERING(table);
}

CASE(lowers_matrices)
{
    static const lowering table[] = {
        {"ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %r2}, "
         "[%r3];",
         "ldmatrix b16 %r1, %r2 = %r3 [sub=1 space=shared imm=2]"},
        {"mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {%r1,%r2}, "
         "{%r3}, {%r4}, {%r5,%r6};",
         "mma s32:s8 %r1, %r2 = %r3, %r4, %r5, %r6 matrix { m=8 n=8 k=16 "
         "dtype=s32 atype=s8 btype=u8 ctype=s32 a_row=1 c_row=1 dregs=2 "
         "aregs=1 bregs=1 cregs=2 }"},
        {"wmma.load.b.sync.aligned.col.m8n8k4.shared.f64 {%g1}, [%r1+8];",
         "wmma.load f64 %g1 = %r1, 4 [space=shared offset=8] matrix { "
         "m=8 n=8 k=4 dtype=f64 atype=f64 btype=f64 ctype=f64 frag=98 "
         "dregs=1 aregs=1 bregs=1 cregs=1 }"},
        {"vadd.s32.u32.s32.sat.max %r1, %r2.b1, %r3.h1, %r4;",
         "vadd s32 %r1 = %r2, %r3, %r4 video { dtype=s32 atype=u32 "
         "btype=s32 asel=2 bsel=6 op2=3 sat=1 }"},
        {"vabsdiff4.u32.u32.u32.add %r1.b10, %r2, %r3.b7610, %r4;",
         "vabsdiff4 u32 %r1 = %r2, %r3, %r4 video { dtype=u32 atype=u32 "
         "btype=u32 amask=12816 bmask=30224 dmask=3 op2=1 }"},
    };
    CHECK_LOWERING(table);
}

/* ---- what is wrong ---- */

typedef struct {
    const char *ptx, *message; /* the first, behind "t.ptx:" */
} mistake;

static void
check_mistakes(const mistake *table, size_t count, bool in_entry)
{
    for (size_t i = 0; i < count; i++) {
        sw_buf text;
        if (in_entry) {
            text = entry(table[i].ptx);
        } else {
            sw_buf_init(&text);
            sw_buf_puts(&text, head);
            sw_buf_puts(&text, table[i].ptx);
        }
        parsed p = parse(text.p);
        CHECK(!p.module);
        CHECK(p.diag.errors > 0);
        bool same = strncmp(p.text.p, "t.ptx:", 6) == 0 &&
                    strncmp(p.text.p + 6, table[i].message,
                            strlen(table[i].message)) == 0;
        CHECK(same);
        if (!same)
            printf("  %s\n  says %s  not %s\n", table[i].ptx, p.text.p,
                   table[i].message);
        sw_buf_finish(&text);
        finish(&p);
    }
}

CASE(mistakes_in_bodies_have_a_place)
{
    static const mistake table[] = {
        {"mov.u32 %r1, %x;", "9:14: error: '%x' is not declared"},
        {"mov.u32 %r1 %r2;", "9:13: error: expected ';', not '%r2'"},
        {"mov.u32 %r1;", "9:1: error: expected 2 operands of mov.u32, not 1"},
        {"add.s32 %r1, %r2;", "9:1: error: expected 3 operands of add.s32"},
        {"add.s32 %r1, %d2, 1;", "9:14: error: expected a .s32, not '%d2' "
                                 "which is a .b64"},
        {"add.s32 %f1, %r2, 1;", "9:9: error: expected a .s32, not '%f1'"},
        {"add.f32 %f1, %r10, 1.0;", "9:14: error: '%r10' is not declared"},
        {"add.s32 5, %r2, 1;", "9:9: error: expected a register to write to"},
        {"setp.eq.s32 %r1, %r2, 1;", "9:13: error: expected a .pred"},
        {"@%r1 ret;", "9:2: error: expected a predicate register, not '%r1'"},
        {"bra L;", "9:5: error: the label 'L' is not defined"},
        {"L: L: ret;", "9:4: error: the label 'L' is defined twice"},
        {"{ L: } bra L;", "9:12: error: the label 'L' is not defined"},
        {"brx.idx %r1, L; L: ret;", "9:14: error: 'L' is not a list of "
                                    ".branchtargets"},
        {".reg .b32 %r1;.reg .b32 %r1;", "9:28: error: '%r1' is declared "
                                         "twice"},
        {".reg .b33 %z;", "9:6: error: expected a register's type, not '.b33'"},
        {".reg .b32 %z<99999999>;", "9:23: error: more than 1048576 registers"},
        {".reg .b32 %z<01>, %y<>;", "9:22: error: expected a number, not '>'"},
        {".local .b8 z[4294967297];", "9:24: error: an array of this size"},
        {".local .b8 z[99999][99999];", "9:27: error: a variable is at most "
                                        "2^32 bytes"},
        {".shared .b32 z = 1;", "9:18: error: variables in .shared have no "
                                "initial data"},
        {"ld.u32 %r1, %d1;", "9:13: error: expected an address in brackets"},
        {".shared .b32 z[4]; st.shared.u32 z[%p1], 1;",
         "9:36: error: expected a number or a register of integers, not"},
        {".shared .b32 z[4]; st.shared.u32 [z+%p1], 1;",
         "9:35: error: expected a 32 or 64 bit register"},
        {"ld.u32 %r1, [%h1];", "9:14: error: expected a 32 or 64 bit register"},
        {"ld.u32 %r1, [%d1;", "9:17: error: expected ']', not ';'"},
        {"ld.v2.u32 %r1, [%d1];", "9:1: error: expected 2 values in ld.v2.u32"},
        {"ld.u64 %r1, [%d1];", "9:8: error: expected a .u64, not '%r1'"},
        {"mov.b64 {%r1, %r2, %r3}, %d1;", "9:1: error: expected 2 or 4 equal "
                                          "parts of a .b64, not 3"},
        {"call f, (%r1);", "9:6: error: 'f' is not a function"},
        {"call k;", "9:6: error: 'k' is not a function"},
        {"call (%r1), %d1, (%r1);", "9:13: error: expected a prototype with"},
        {"call %d1, (%r1), x;", "9:18: error: expected a prototype or a list"},
        {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%d1, {%f1}];",
         "9:1: error: expected 2 values in tex.2d.v4.f32.f32"},
        {"div.f32 %f1, %f2, %f3;", "9:1: error: expected a rounding, .approx "
                                   "or .full in div.f32"},
        {"vadd.u32.u32.u32 %r1, %r2.b9, %r3;", "9:23: error: '.b9' is not a "
                                               "part of a register"},
        {"mov.u32 %r1, 1 / 0;", "9:19: error: division by zero"},
        {"mov.u32 %r1, 0x;", "9:14: error: expected a number or a name"},
        {"mov.u32 %r1, 99999999999999999999;", "9:14: error: expected a "
                                               "number or a name"},
        {"mov.u32 %r1, \"x;", "9:14: error: expected a number or a name"},
        {"cp.async.ca.shared.global [%r1], [%d1], 5;",
         "9:1: error: expected 4, 8 or 16 as the size of cp.async"},
        {"lop3.b32 %r1, %r2, %r3, %r4, %r5;",
         "9:1: error: expected a number as the truth table of lop3"},
    };
    check_mistakes(table, sizeof table / sizeof *table, true);
}

CASE(mistakes_in_modules_have_a_place)
{
    static const mistake table[] = {
        {"garbage", "4:1: error: expected a directive, not 'garbage'"},
        {".entry", "4:7: error: expected a function's name, not the end"},
        {".entry k (.param .u32 a", "4:24: error: expected ')', not the end"},
        {".entry k () {", "4:14: error: expected '}', not the end"},
        {".entry k () { ret; } .entry k () { ret; }",
         "4:29: error: 'k' is declared twice"},
        {".global .u32 a; .global .u32 a;",
         "4:31: error: 'a' is declared twice"},
        {".global .u32 a[];", "4:14: error: 'a' needs a size or initial data"},
        {".global .u32 a[1] = {1, 2};", "4:26: error: more initial data than "
                                        "'a' has room for"},
        {".global .u16 a = b;", "4:18: error: 'b' is not a variable"},
        {".global .u16 b; .global .u16 a = b;",
         "4:34: error: an address does not fit into a .u16"},
        {".global .pred a;", "4:15: error: a variable can't have the type"},
        {".global .align 3 .u32 a;", "4:18: error: an alignment is a power"},
        {".reg .u32 a;",
         "4:6: error: registers belong into functions from PTX 3.0 on"},
        {".entry k (.param .b8 a[]) { ret; }",
         "4:25: error: a kernel's parameter needs a size"},
        {".func f (.param .b8 a[], .param .b32 b) { ret; }",
         "4:26: error: only the last parameter can be without a size"},
        {".func (.param .b8 a[]) f () { ret; }",
         "4:24: error: a result needs a size"},
        {".address_size 48", "4:17: error: the address size is 32 or 64"},
        {".func f (.reg .u32 a) { ret; } .entry k () { call f; }",
         "4:46: error: expected 1 arguments in the call of 'f', not 0"},
        {".func f (.param .b64 a) { ret; } .entry k () { .param .b32 x;"
         " call f, (x); }",
         "4:72: error: expected 8 bytes as the function's parameter has"},
    };
    check_mistakes(table, sizeof table / sizeof *table, false);
}

CASE(no_version_no_ptx)
{
    parsed p = parse("\177ELF");
    CHECK(!p.module);
    CHECK(strstr(p.text.p, "1:1: error: expected '.version' at the start"));
    finish(&p);
    p = parse("");
    CHECK(!p.module);
    finish(&p);
}

CASE(no_target_no_ptx)
{
    parsed p = parse(".version 7.0\n.entry k () { ret; }");
    CHECK(!p.module);
    CHECK(strstr(p.text.p, "expected '.target' behind '.version'"));
    finish(&p);
}

/* What the fuzzer starts from covers the whole syntax; all of it is PTX. */
CASE(seeds_of_the_fuzzer_are_modules)
{
    static const char *const names[] = {
        "alu", "control", "data", "directives", "memory", "old", "warp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64], *text = NULL;
        size_t bytes;
        snprintf(path, sizeof path, "tests/fuzz/corpus/ptx/%s.ptx", names[i]);
        CHECK_EQ(sw_file_read(path, &text, &bytes), SW_OK);
        if (!text)
            continue;
        parsed p = parse(text);
        CHECK(p.module);
        CHECK_EQ(p.diag.errors, 0);
        if (!p.module)
            printf("%s: %s", path, p.text.p);
        finish(&p);
        sw_free(text);
    }
}

CASE(several_mistakes_are_all_reported)
{
    sw_buf text = entry("mov.u32 %x, 1;\nmov.u32 %y, 1;\nadd.s32 %r1;");
    parsed p = parse(text.p);
    CHECK_EQ(p.diag.errors, 3);
    finish(&p);
    sw_buf_finish(&text);
}

CASE(unsupported_instructions_trap_by_name)
{
    sw_buf text = entry("@%p1 tcgen05.fence.sync.aligned;\n"
                        "multimem.red.add.u32 %nothing, {1, [x]};\n"
                        "add.rn.s32 %r1, %r2, %r3;");
    parsed p = parse(text.p);
    CHECK(p.module);
    CHECK_EQ(p.diag.errors, 0);
    CHECK(strstr(p.text.p, "9:6: warning: 'tcgen05.fence.sync.aligned' is not "
                           "supported"));
    CHECK(strstr(p.text.p, "10:1: warning: 'multimem.red.add.u32' is not "
                           "supported"));
    CHECK(strstr(p.text.p, "11:1: warning: 'add.rn.s32' is not supported"));
    unsigned traps = 0;
    const sw_fn *fn = p.module->fns[0];
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            if (fn->blocks[b]->ins[i]->op == SW_OP_TRAP) {
                traps++;
                CHECK_EQ(fn->blocks[b]->ins[i]->sub, 1);
            }
    CHECK_EQ(traps, 3);
    finish(&p);
    sw_buf_finish(&text);
}

CASE(what_is_no_instruction_is_an_error)
{
    sw_buf text = entry("frob.b32 %r1, 1;\n@%p1 bad instruction;\n");
    parsed p = parse(text.p);
    CHECK_EQ(p.diag.errors, 2);
    CHECK(strstr(p.text.p, "9:1: error: 'frob' is not an instruction"));
    CHECK(strstr(p.text.p, "10:6: error: 'bad' is not an instruction"));
    finish(&p);
    sw_buf_finish(&text);
}

CASE(modifiers_that_types_do_not_have_trap)
{
    static const char *const forms[] = {
        "add.sat.u32 %r1, %r2, %r3;",
        "add.cc.u16 %h1, %h2, %h3;",
        "mul.ftz.f64 %g1, %g2, %g3;",
        "add.rz.f16 %h1, %h2, %h3;",
        "sin.approx.f64 %g1, %g2;",
        "setp.lo.s32 %p1, %r1, %r2;",
        "setp.lt.b32 %p1, %r1, %r2;",
        "setp.nan.u32 %p1, %r1, %r2;",
        "cvt.rn.s32.f32 %r1, %f1;",
        "cvt.rni.f32.s32 %f1, %r1;",
        "cvt.rn.u32.u16 %r1, %h1;",
        "cvt.ftz.u32.u16 %r1, %h1;",
        "atom.inc.s32 %r1, [%d1], 1;",
        "atom.add.b32 %r1, [%d1], 1;",
        "bmsk.clamp.b64 %d1, %d2, %r1;",
        "shl.u32 %r1, %r2, 1;",
        "mul24.lo.u64 %d1, %d2, %d3;",
        "popc.u32 %r1, %r2;",
        "and.s32 %r1, %r2, %r3;",
        "ld.pred %p1, [%d1];",
        ("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%d1], "
         "[%d2], 16;")};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        sw_buf text = entry(forms[i]);
        parsed p = parse(text.p);
        CHECK(p.module);
        CHECK_EQ(p.diag.errors, 0);
        bool warned = strstr(p.text.p, "is not supported; it traps") != NULL;
        CHECK(warned);
        if (!warned)
            printf("  %s\n", forms[i]);
        finish(&p);
        sw_buf_finish(&text);
    }
}

/* ---- declarations ---- */

CASE(functions_are_declared_and_then_defined)
{
    parsed p = parse(
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".visible .func (.param .b32 r) f (.param .b32 a);\n"
        ".func alias ();\n.func target () { ret; }\n.alias alias, target;\n"
        ".func (.reg .u32 r) fact (.reg .u32 n) {\n.reg .u32 m; .reg .pred q;"
        " setp.lt.u32 q, n, 2; mov.u32 r, 1; @q ret; sub.u32 m, n, 1;"
        " call (r), fact, (m); mul.lo.u32 r, r, n; ret; }\n"
        ".entry k () { .param .b32 x; .reg .b64 %d; call (x), f, (x);"
        " call alias; mov.u64 %d, f; call (x), %d, (x), t;"
        " t: .calltargets f; ret; }\n"
        ".func (.param .b32 r) f (.param .b32 a) { ret; }\n");
    CHECK(!p.module); /* the list stands behind its use */
    finish(&p);
    p = parse(".version 7.0\n.target sm_70\n.address_size 64\n"
              ".visible .func (.param .b32 r) f (.param .b32 a);\n"
              ".func alias ();\n.func target () { ret; }\n"
              ".alias alias, target;\n"
              ".func (.reg .u32 r) fact (.reg .u32 n) {\n.reg .u32 m;"
              " sub.u32 m, n, 1; call (r), fact, (m); call (_), fact, (3); }\n"
              ".entry k () { .param .b32 x; .reg .b64 %d; call (x), f, (x);"
              " call alias; mov.u64 %d, f; t: .calltargets f;"
              " call (x), %d, (x), t; }\n"
              ".func (.param .b32 r) f (.param .b32 a) { ret; }\n");
    CHECK(p.module);
    CHECK_EQ(p.module->fn_count, 4);
    const sw_sym *f = sw_module_find(p.module, "f");
    CHECK_EQ(f->linkage, SW_LINK_VISIBLE);
    CHECK_EQ(f->fn->block_count, 1);
    const sw_sym *alias = sw_module_find(p.module, "alias");
    CHECK(alias->def == sw_module_find(p.module, "target"));
    const sw_fn *k = sw_module_find(p.module, "k")->fn;
    const sw_ins *last = k->blocks[0]->ins[3];
    const sw_call *call = last->aux;
    CHECK_EQ(last->op, SW_OP_CALL);
    CHECK(!call->callee && call->prototype);
    CHECK_EQ(call->arg_count, 1);
    CHECK_EQ(call->args[0].kind, SW_OPND_SYM);
    finish(&p);
}

CASE(variables_are_declared_and_then_defined)
{
    parsed p = parse(".version 7.0\n.target sm_70\n"
                     ".extern .global .u32 x;\n.visible .global .u32 x = 5;\n"
                     ".extern .global .u32 x;\n.weak .global .u32 w;\n"
                     ".local .b32 slot[4];\n.entry k () { .reg .b32 %r;"
                     " ld.local.u32 %r, [slot+4]; }");
    CHECK(p.module);
    const sw_sym *x = sw_module_find(p.module, "x");
    CHECK_EQ(x->linkage, SW_LINK_VISIBLE);
    CHECK_EQ(x->init[0], 5);
    CHECK_EQ(sw_module_find(p.module, "w")->linkage, SW_LINK_WEAK);
    CHECK_EQ(p.module->fns[0]->frame_bytes, 16);
    finish(&p);
}

CASE(parameters_have_offsets)
{
    parsed p = parse(".version 7.0\n.target sm_70\n.address_size 64\n"
                     ".entry k (.param .u8 a, .param .u64 b, .param .u16 c,\n"
                     ".param .align 16 .b8 d[20], .param .u64 .ptr .global "
                     ".align 4 e) .maxntid 64, 2 .reqntid 8 .maxnreg 40 "
                     ".minnctapersm 3 { ret; }");
    CHECK(p.module);
    const sw_fn *fn = p.module->fns[0];
    CHECK_EQ(fn->param_count, 5);
    CHECK_EQ(fn->params[0].sym->address, 0);
    CHECK_EQ(fn->params[1].sym->address, 8);
    CHECK_EQ(fn->params[2].sym->address, 16);
    CHECK_EQ(fn->params[3].sym->address, 32);
    CHECK_EQ(fn->params[4].sym->address, 56);
    CHECK_EQ(fn->param_bytes, 64);
    CHECK_EQ(fn->maxntid[0], 64);
    CHECK_EQ(fn->maxntid[1], 2);
    CHECK_EQ(fn->maxntid[2], 1);
    CHECK_EQ(fn->reqntid[0], 8);
    CHECK_EQ(fn->maxnreg, 40);
    CHECK_EQ(fn->minnctapersm, 3);
    finish(&p);
}

static bool
data_is(const sw_module *module, const char *name, const void *bytes, size_t n)
{
    const sw_sym *sym = sw_module_find(module, name);
    return sym && sym->init_bytes == n && memcmp(sym->init, bytes, n) == 0;
}

CASE(initial_data_is_laid_out)
{
    parsed p = parse(
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".global .u32 a[2][3] = {{1}, {4, 0x5, -1}};\n"
        ".global .f32 f[] = {1.0, 0f40000000, -2.5e-1};\n"
        ".global .b8 s[] = \"a\\n\";\n"
        ".global .u32 e = (3 + 4 * 2) << 1 | 1 ? 7 : 8;\n"
        ".global .u64 pa[2] = {a + 4, generic(f)};\n"
        ".global .u8 m[2] = {0xff(a), 0xff00(a)};\n"
        ".global .v2 .f64 v = {1.0, 2.0};\n"
        ".extern .shared .b8 dyn[];\n.const .f64 d = 0d3FF0000000000000;\n"
        ".global .u64 big[2] = {0xFFFFFFFFFFFFFFFF, 18446744073709551615U};");
    CHECK(p.module);
    CHECK_EQ(sw_module_find(p.module, "a")->bytes, 24);
    CHECK(data_is(p.module, "a", (const uint32_t[]){1, 0, 0, 4, 5, UINT32_MAX},
                  24));
    CHECK_EQ(sw_module_find(p.module, "f")->bytes, 12);
    CHECK(data_is(p.module, "f", (const float[]){1.0f, 2.0f, -0.25f}, 12));
    CHECK(data_is(p.module, "s", "a\n", 2));
    CHECK(data_is(p.module, "e", (const uint32_t[]){7}, 4));
    CHECK(data_is(p.module, "v", (const double[]){1, 2}, 16));
    CHECK(data_is(p.module, "big", (const uint64_t[]){UINT64_MAX, UINT64_MAX},
                  16));
    const sw_sym *pa = sw_module_find(p.module, "pa");
    CHECK_EQ(pa->reloc_count, 2);
    CHECK_EQ(pa->relocs[0].addend, 4);
    CHECK_EQ(pa->relocs[1].offset, 8);
    CHECK(pa->relocs[1].generic && !pa->relocs[0].generic);
    const sw_sym *m = sw_module_find(p.module, "m");
    CHECK_EQ(m->relocs[1].shift, 8);
    CHECK_EQ(m->relocs[1].bytes, 1);
    const sw_sym *dyn = sw_module_find(p.module, "dyn");
    CHECK_EQ(dyn->bytes, 0);
    CHECK_EQ(dyn->linkage, SW_LINK_EXTERN);
    finish(&p);
}

CASE(slots_of_closed_scopes_are_used_again)
{
    sw_buf text = entry("{ .param .b8 x[64]; } { .param .b8 y[64]; }\n"
                        ".local .align 8 .b8 z[16]; ret;");
    parsed p = parse(text.p);
    CHECK(p.module);
    CHECK_EQ(p.module->fns[0]->frame_bytes, 64);
    finish(&p);
    sw_buf_finish(&text);
}

CASE(registers_exist_once_used)
{
    sw_buf text = entry(".reg .b32 %big<1000000>; mov.u32 %big999999, 1;");
    parsed p = parse(text.p);
    CHECK(p.module);
    CHECK_EQ(p.module->fns[0]->reg_count, 2);
    CHECK(strcmp(p.module->fns[0]->regs[1].name, "%big999999") == 0);
    finish(&p);
    sw_buf_finish(&text);
}

CASE(places_of_instructions)
{
    parsed p = parse(".version 7.0\n.target sm_70\n.file 1 \"a.cu\"\n"
                     ".entry k () {\n.loc 1 20 3\n.loc 1 7 1, function_name "
                     "$L, inlined_at 1 20 3\nmembar.gl;\n}\n"
                     ".section .debug_str { $L: .b8 102, 111\n.b8 0 }");
    CHECK(p.module);
    const sw_ins *ins = p.module->fns[0]->blocks[0]->ins[0];
    const sw_loc *loc = &p.module->locs[ins->loc];
    CHECK_EQ(ins->line, 7);
    CHECK_EQ(loc->line, 7);
    CHECK_EQ(p.module->locs[loc->inlined_at].line, 20);
    CHECK(strcmp(loc->function, "fo") == 0);
    CHECK(strcmp(p.module->files[loc->file], "a.cu") == 0);
    finish(&p);
}

CASE(text_ends_at_a_nul)
{
    static const char text[] = ".version 7.0\r\n.target sm_70\r\n\0garbage";
    sw_diag diag;
    sw_diag_init(&diag);
    sw_module *m = sw_ptx_parse("x", text, sizeof text, &diag);
    CHECK(m);
    sw_module_destroy(m);
    sw_diag_finish(&diag);
}

CASE(deep_nesting_is_an_error)
{
    static const char *const parts[] = {"{", "(", "-", "~", "[", "a["};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        sw_buf text;
        sw_buf_init(&text);
        sw_buf_puts(&text, head);
        sw_buf_puts(&text, k ? ".global .u32 a = " : ".entry k () ");
        for (int i = 0; i < 100000; i++)
            sw_buf_puts(&text, parts[k]);
        parsed p = parse(text.p);
        CHECK(!p.module);
        finish(&p);
        sw_buf_finish(&text);
    }
}

CASE(version_1_defaults)
{
    parsed p = parse(".version 1.3\n.target sm_13\n.tex .u64 t;\n"
                     ".entry k () {\n.reg .f32 %f<4>; .reg .f64 %d<4>;\n"
                     "div.f32 %f1, %f2, %f3; div.f64 %d1, %d2, %d3;\n"
                     "mad.f32 %f1, %f1, %f2, %f3; sin.f32 %f1, %f2; }");
    CHECK(p.module);
    sw_ins **ins = p.module->fns[0]->blocks[0]->ins;
    CHECK_EQ(ins[0]->flags, SW_F_APPROX | SW_F_FTZ);
    CHECK_EQ(ins[1]->flags, 0);
    CHECK_EQ(ins[1]->rnd, SW_RND_RN);
    CHECK_EQ(ins[2]->op, SW_OP_MAD);
    CHECK_EQ(ins[3]->flags, SW_F_APPROX | SW_F_FTZ);
    CHECK_EQ(sw_module_find(p.module, "t")->type, SW_T_TEXREF);
    finish(&p);
}
