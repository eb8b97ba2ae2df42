/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ir_test.c - the IR's builder, text form, parser and verifier. Modules are
 * mostly written as text; each wrong one breaks a single rule.
 */
#include "check.h"
#include "ir/build.h"

static const char module_text[] =
    "module \"a \\x22b\\x22.ptx\" version=85 target=90 address_size=64 "
    "debug=1\n"
    "file 1 \"k.cu\"\n"
    "file 2\n"
    "loc 1 file=1 line=3 column=4\n"
    "loc 2 file=1 line=9 inlined_at=1 \"inner\"\n"
    "symbol \"data\" space=global linkage=visible type=u32 bytes=16 align=8 "
    "managed=1 line=4 init 0a000000ff\n"
    "symbol \"pool\" space=shared linkage=extern type=b8 align=16\n"
    "symbol \"strange name\" space=const type=b32 bytes=4 align=4 "
    "const_bank=2\n"
    "symbol \"vprintf\" space=reg linkage=extern align=1\n"
    "symbol \"half\" space=reg align=1\n"
    "symbol \"kernel\" space=reg linkage=visible align=1\n"
    "relocs of &data\n"
    "reloc 8 &half addend=-4 bytes=8 generic=1\n"
    "reloc 7 &\"strange name\" addend=0 bytes=1 shift=8\n"
    "declare \"vprintf\"\n"
    "symbol \"p0\" space=param type=b64 bytes=8 align=8\n"
    "symbol \"p1\" space=param type=b64 bytes=8 align=8\n"
    "symbol \"r\" space=param type=b32 bytes=4 align=4\n"
    "params &p0@0, &p1@1\n"
    "rets &r@2\n"
    "end\n"
    "function \"half\" line=20\n"
    "reg 1 f32 \"%f1\"\n"
    "reg 2 f32\n"
    "params %f1#1\n"
    "rets #2\n"
    "block 0:\n"
    "    mul f32 #2 = %f1#1, 0x3f000000 [ftz rnd=rn line=22]\n"
    "    ret\n"
    "end\n"
    "function \"kernel\" is_entry=1 param_bytes=8 frame_bytes=32 "
    "maxntid[0]=256 reqntid[2]=1 maxnreg=32\n"
    "reg 1 u32 \"%r1\"\n"
    "reg 2 pred \"%p1\"\n"
    "reg 3 u64 \"%rd1\"\n"
    "reg 4 f32 \"%f1\"\n"
    "reg 5 b128\n"
    "reg 6 s32 \"%r2\"\n"
    "reg 7 pred \"%cc\"\n"
    "reg 8 f16 \"h\"\n"
    "symbol \"kernel_param_0\" space=param type=u64 bytes=8 align=8\n"
    "symbol \"tile\" space=shared type=f32 bytes=64 align=4\n"
    "symbol \"depot\" space=local type=b8 bytes=8 align=1 address=24\n"
    "symbol \"arg\" space=param type=b64 bytes=8 align=8\n"
    "symbol \"arg\" space=param type=b64 bytes=8 align=8 address=8\n"
    "symbol \"ret\" space=param type=b32 bytes=4 align=4 address=16\n"
    "params &kernel_param_0@0\n"
    "shared &tile@1\n"
    "prototype \"proto\" noreturn=1\n"
    "reg 1 f32\n"
    "reg 2 f32\n"
    "params #1\n"
    "rets #2\n"
    "end\n"
    "block 0 \"entry\":\n"
    "    ld u64 %rd1#3 = &kernel_param_0@0 [space=param line=31 loc=2]\n"
    "    sreg u32 %r1#1 = [sub=%tid.x]\n"
    "    sreg u32 %r1#1 = [sub=%envreg imm=3]\n"
    "    setp s32 %p1#2 = %r1#1, 10, !%p1#2 [cmp=eq boolop=and]\n"
    "    setp s32 _, %p1#2 = %r1#1, 10 [cmp=lt]\n"
    "    addc u32 %r1#1, %cc#7 = %r1#1, 0xffffffff, 0\n"
    "    cvt f32:s8 %f1#4 = h#8 [sat rnd=rn]\n"
    "    @!%p1#2 st f32 %rd1#3, %f1#4, %f1#4 [space=global vec=2 cache=cs "
    "order=relaxed scope=gpu offset=-16]\n"
    "    addr u64 %rd1#3 = &data+4 [generic]\n"
    "    addr u64 %rd1#3 = &\"strange name\"+0xfffffffffffffff8\n"
    "    addr u64 %rd1#3 = &depot@2 [space=local]\n"
    "    atom u32 %r1#1 = &pool, %r1#1 [sub=add space=shared scope=cta]\n"
    "    tex f32:s32 %f1#4, %f1#4, _, _ = %rd1#3, %r1#1, %r1#1 [geom=a1d]\n"
    "    vadd s32 %r1#1 = %r1#1, %r1#1, 0 video { dtype=s32 atype=u32 "
    "btype=s32 asel=2 bmask=18 sat=1 }\n"
    "    mma f32 %f1#4 = %r1#1, %r1#1, %f1#4 matrix { m=16 n=8 k=8 "
    "dtype=f32 atype=f16 btype=f16 ctype=f32 a_row=1 dregs=1 aregs=1 "
    "bregs=1 cregs=1 }\n"
    "    @%p1#2 call calls &vprintf (&arg@3, &arg@4) (&ret@5)\n"
    "    call %rd1#3 [noreturn] calls prototype 0 (0x3f800000) (_)\n"
    "    trap [sub=1] names \"wgmma.\\x01\"\n"
    "    @%p1#2 bra -> 1 2\n"
    "block 1:\n"
    "    brx %r1#1 -> 1 1 2\n"
    "block 2 \"$L_2\":\n"
    "    exit\n"
    "end\n";

static char *
print(const sw_module *m)
{
    sw_buf out;
    sw_buf_init(&out);
    sw_ir_print(m, &out);
    char *text = sw_buf_take(&out);
    sw_buf_finish(&out);
    return text;
}

/* The first sentence that parsing or verifying `text` gives; "" if none. */
static const char *
complaint(const char *text)
{
    static char said[1000];
    sw_diag diag;
    sw_diag_init(&diag);
    sw_module *m = sw_ir_parse("test.ir", text, &diag);
    if (m) {
        sw_status status = sw_ir_verify(m, &diag);
        CHECK_EQ(status == SW_OK, diag.errors == 0);
    }
    CHECK_EQ(m == NULL || diag.errors > 0, diag.entries.count > 0);
    said[0] = '\0';
    if (diag.entries.count) {
        const sw_diag_entry *e = sw_vec_at(&diag.entries, 0);
        snprintf(said, sizeof said, "%s:%u:%u: %s", e->file, e->line, e->column,
                 e->text);
    }
    sw_module_destroy(m);
    sw_diag_finish(&diag);
    return said;
}

CASE(text_comes_back_equal)
{
    sw_diag diag;
    sw_diag_init(&diag);
    sw_module *m = sw_ir_parse("test.ir", module_text, &diag);
    sw_buf said;
    sw_buf_init(&said);
    sw_diag_print(&diag, &said);
    CHECK_STR(said.p, "");
    sw_buf_finish(&said);
    CHECK(m != NULL);
    if (m) {
        char *text = print(m);
        CHECK_STR(text, module_text);
        sw_free(text);
        CHECK_EQ(sw_ir_verify(m, &diag), SW_OK);
        CHECK_STR(complaint(module_text), "");

        const sw_fn *k = sw_module_find(m, "kernel")->fn;
        CHECK_EQ(m->loc_count, 3);
        CHECK_EQ(m->locs[2].inlined_at, 1);
        CHECK_EQ(k->reqntid[2], 1);
        CHECK_EQ(k->regs[5].cls, SW_CLASS_B128);
        CHECK_EQ(k->blocks[0]->target_count, 2);
        const sw_ins *st = k->blocks[0]->ins[7];
        CHECK_EQ(st->op, SW_OP_ST);
        CHECK_EQ(st->guard, 2);
        CHECK(st->guard_neg);
        CHECK_EQ(st->offset, -16);
        CHECK_EQ(st->order, SW_ORDER_RELAXED);
        const sw_call *call = k->blocks[0]->ins[15]->aux;
        CHECK(call->args[0].sym != call->args[1].sym);
        CHECK_EQ(call->args[1].sym->address, 8);
        CHECK(call->callee == sw_module_find(m, "vprintf"));
    }
    sw_module_destroy(m);
    sw_diag_finish(&diag);
}

/* Every cut and many changes of one byte: an error or a module, no crash. */
CASE(broken_text_is_an_error)
{
    size_t n = sizeof module_text - 1;
    static char text[sizeof module_text];
    for (size_t i = 0; i < n; i += 7) {
        memcpy(text, module_text, n + 1);
        text[i] = '\0';
        complaint(text);
        static const char other[] = "\"#@&={0\n(x";
        memcpy(text, module_text, n + 1);
        text[i] = other[i % (sizeof other - 1)];
        complaint(text);
    }
    CHECK_STR(complaint(""), "test.ir:1:1: expected 'module'");
}

CASE(errors_have_line_and_column)
{
    CHECK_STR(complaint("module \"m\" address_size=64\nsimbol\n"),
              "test.ir:2:1: expected a file, loc, symbol or function");
    CHECK_STR(complaint("module \"m\" address_size=x\n"),
              "test.ir:1:25: expected a number");
    CHECK_STR(complaint("module \"m\" address_size=64 2\n"),
              "test.ir:1:28: expected the end of the line");
    CHECK_STR(complaint("module \"m\n"), "test.ir:1:8: the string has no end");
}

/* ---- the verifier ---- */

/* Puts lines into a function that has registers of every class. */
static const char *
body(const char *lines)
{
    static char text[4000];
    snprintf(text, sizeof text,
             "module \"m.ptx\" address_size=64\n"
             "symbol \"g\" space=global type=u32 bytes=4 align=4\n"
             "symbol \"sh\" space=shared type=u32 bytes=4 align=4\n"
             "symbol \"callee\" space=reg linkage=visible align=1\n"
             "symbol \"f\" space=reg linkage=visible align=1\n"
             "function \"callee\"\nreg 1 u32\nreg 2 u64\nparams #1\nrets #2\n"
             "block 0:\n    ret\nend\n"
             "function \"f\" frame_bytes=16\n"
             "reg 1 pred \"p\"\nreg 2 u16 \"h\"\nreg 3 u32 \"r\"\n"
             "reg 4 u64 \"d\"\nreg 5 b128 \"q\"\n"
             "symbol \"slot\" space=param type=b32 bytes=4 align=4\n"
             "symbol \"far\" space=local type=b32 bytes=4 align=4 "
             "address=16\n"
             "rets &slot@0\nparams &far@1\n"
             "block 0:\n%send\n",
             lines);
    /* far is there to be named; no formal of f: */
    char *params = strstr(text, "params &far@1\n");
    memmove(params, params + 14, strlen(params + 14) + 1);
    return text;
}

/* A sentence about `line`, in front of a ret. */
static void
check_line(const char *line, const char *want, int at)
{
    char lines[600];
    snprintf(lines, sizeof lines, "    %s\n    ret\n", line);
    const char *said = complaint(body(lines));
    if (!check_result(*want ? strstr(said, want) != NULL : !*said, __FILE__,
                      at))
        printf("%s: \"%s\", not \"%s\"\n", line, said, want);
}
#define LINE(line, want) check_line(line, want, __LINE__)

CASE(operands_fit_the_operation)
{
    LINE("add u32 r#3 = r#3, 5", "");
    LINE("add u32 r#3 = r#3", "too few sources");
    LINE("add u32 r#3 = r#3, 1, 2", "too many sources");
    LINE("add u32 r#3 = r#3, d#4", "source 1 is of class b64, not b32");
    LINE("add u32 h#2 = r#3, r#3", "destination 0 is of class b16, not b32");
    LINE("add u32 5 = r#3, r#3", "destination 0 is a number");
    LINE("add u32 r#3 = r#3, _", "source 1 is missing");
    LINE("add u32 r#3 = r#3, &g", "source 1 is a symbol");
    LINE("add pred p#1 = p#1, p#1", "type 'pred' is not one");
    LINE("add u32 r#3 = r#3, !p#1", "source 1 is of class pred");
    LINE("add u32 r#3 = r#3, !r#3", "negated but no predicate");
    LINE("mul.wide u32 d#4 = r#3, r#3", "");
    LINE("mul.wide u32 r#3 = r#3, r#3", "destination 0");
    LINE("mul u32 r#3 = r#3, r#3", "type 'u32' is not one");
    LINE("addc u32 r#3, p#1 = r#3, r#3, p#1", "");
    LINE("addc u32 r#3, r#3 = r#3, r#3, p#1", "destination 1");
    LINE("setp u32 p#1 = r#3, r#3 [cmp=lt]", "");
    LINE("setp u32 p#1 = r#3, r#3, p#1 [cmp=lt]", "goes with a third");
    LINE("setp u32 p#1 = r#3, r#3 [cmp=lt boolop=or]", "goes with a third");
    LINE("set u32:s64 r#3 = d#4, d#4 [cmp=lt]", "");
    LINE("set u32:s64 r#3 = d#4, r#3 [cmp=lt]", "source 1");
    LINE("shl b64 d#4 = d#4, r#3", "");
    LINE("shl b64 d#4 = d#4, d#4", "source 1");
    LINE("selp b16 h#2 = h#2, h#2, p#1", "");
    LINE("selp b16 h#2 = h#2, h#2, h#2", "source 2");
    LINE("cvt u64:u8 d#4 = h#2", "");
    LINE("cvt u64:u8 d#4 = r#3", "source 0");
    LINE("pack b64 d#4 = r#3, r#3", "");
    LINE("pack b64 d#4 = h#2, h#2", "2 parts of 16 bits");
    LINE("pack b64 d#4 = r#3, h#2", "parts of different classes");
    LINE("unpack b128 d#4, _ = q#5", "");
    LINE("lop3 b32 r#3 = r#3, r#3, r#3 [imm=256]", "truth table");
    LINE("shfl b32 r#3, p#1 = r#3, 1, 31, 0xffffffff [sub=3]", "");
    LINE("shfl b32 r#3, p#1 = r#3, 1, 31, 0xffffffff [sub=4]", "sub 4");
    LINE("vote pred p#1 = !p#1, 0xffffffff [sub=1]", "");
    LINE("vadd u32 r#3 = r#3, r#3, 0", "(aux) are missing");
    LINE("bar 0", "");
    LINE("bar _", "missing");
    LINE("@r#3 bar 0", "the guard is not a predicate");
    LINE("mov u32 r#3 = 1 [vec=3]", "3 elements");
    LINE("mov u32 r#3 = 1 [loc=7]", "source place 7");
    LINE("mov u32 r#3 = 1 [rnd=77]", "rounding out of range");
}

CASE(memory_operands)
{
    LINE("ld u8 d#4 = d#4 [space=global]", "");
    LINE("ld u64 r#3 = d#4", "destination 0 is of class b32, not b64");
    LINE("ld u32 p#1 = d#4", "destination 0");
    LINE("ld u32 r#3 = h#2", "not b32 or b64");
    LINE("ld u32 r#3, r#3 = d#4", "too many destinations");
    LINE("ld u32 r#3, _ = d#4 [vec=2]", "");
    LINE("ld u32 r#3 = &g [space=global]", "");
    LINE("ld u32 r#3 = &g [space=shared]", "'g' is not in this space");
    LINE("st u32 &slot@0, r#3 [space=local]", "");
    LINE("st u32 &slot@0, r#3 [space=param]", "'slot' is not in this space");
    LINE("atom u32 r#3 = d#4, r#3, r#3 [sub=cas]", "");
    LINE("atom u32 r#3 = d#4 [sub=cas]", "too few sources");
    LINE("red u32 r#3 = d#4, r#3 [sub=add]", "too many destinations");
    LINE("addr u64 d#4 = r#3", "source 0");
}

CASE(calls_fit_the_callee)
{
    LINE("call calls &callee (r#3) (d#4)", "");
    LINE("call calls &callee (7) (_)", "");
    LINE("call calls &callee (r#3, r#3) (d#4)", "2 arguments for 1");
    LINE("call calls &callee (d#4) (d#4)", "argument 0 is of class b64");
    LINE("call calls &callee (&slot@0) (d#4)", "");
    LINE("call calls &callee (r#3) (&slot@0)",
         "result 0 has 4 bytes, the formal 8");
    LINE("call calls &callee (&g) (d#4)", "not a parameter slot");
    LINE("call calls &g (r#3) (d#4)", "'g' is not a function");
    LINE("call d#4 calls &callee (r#3) (d#4)", "indirect call");
}

CASE(blocks_end_in_one_terminator)
{
    CHECK(strstr(complaint(body("    mov u32 r#3 = 1\n")),
                 "does not end in a terminator: mov u32 r#3 = 1"));
    CHECK(strstr(complaint(body("    ret\n    ret\n")),
                 "a terminator before the end"));
    CHECK(strstr(complaint(body("")), "an empty block"));
    CHECK(strstr(complaint(body("    bra -> 1\n")), "block 1, which does"));
    CHECK(strstr(complaint(body("    bra -> 0 0\n")), "2 targets"));
    CHECK(strstr(complaint(body("    @p#1 bra -> 0\n")), "1 targets"));
    CHECK_STR(complaint(body("    @p#1 bra -> 0 0\n")), "");
    CHECK(strstr(complaint(body("    brx r#3\n")), "0 targets"));
    CHECK(strstr(complaint(body("    @p#1 ret\n")), "a guard on a terminator"));
    CHECK(strstr(complaint(body("    exit -> 0\n")), "1 targets"));
}

CASE(symbols_fit_their_place)
{
    static const char *const broken[][2] = {
        {"symbol \"s\" space=global type=u32 bytes=4 align=3", "power of two"},
        {"symbol \"s\" space=global type=u32 bytes=1 align=1 init 0102",
         "more initial data"},
        {"symbol \"s\" space=global type=u32 bytes=8 align=8\n"
         "relocs of &s\nreloc 4 &s addend=0 bytes=8",
         "outside of it"},
        {"symbol \"s\" space=global type=u32 bytes=8 align=8\n"
         "relocs of &s\nreloc 0 &s addend=0 bytes=3",
         "of 3 bytes"},
        {"symbol \"s\" space=global align=1\nsymbol \"s\" space=global align=1",
         "there twice"},
        {"symbol \"s\" space=reg align=1\nfunction \"s\" frame_bytes=8\n"
         "block 0:\n    ret\nend",
         "multiple of 16"},
        {"symbol \"s\" space=reg align=1\nfunction \"s\" is_entry=1 "
         "param_bytes=4\nsymbol \"p\" space=param type=u64 bytes=8 align=8\n"
         "params &p@0\nblock 0:\n    ret\nend",
         "outside the parameter block of 4 bytes"},
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        char text[600];
        snprintf(text, sizeof text, "module \"m\" address_size=64\n%s\n",
                 broken[i][0]);
        const char *said = complaint(text);
        if (!check_result(strstr(said, broken[i][1]) != NULL, __FILE__,
                          __LINE__))
            printf("\"%s\", not \"%s\"\n", said, broken[i][1]);
    }
    CHECK(strstr(complaint(body("    ld u32 r#3 = &far@1 [space=local]\n")),
                 "'far'"));
}

CASE(messages_name_function_block_and_text)
{
    CHECK_STR(complaint(body("    add u32 r#3 = r#3, d#4 [line=77]\n"
                             "    ret\n")),
              "m.ptx:77:0: function 'f', block 0: source 1 is of class b64, "
              "not b32: add u32 r#3 = r#3, d#4 [line=77]");
}

CASE(builder_makes_what_the_verifier_takes)
{
    sw_module *m = sw_module_create("built");
    sw_build b;
    sw_build_begin(&b, sw_build_fn(m, "f", true));
    sw_reg p = sw_build_reg(&b, SW_T_PRED, "%p1");
    sw_reg regs[20];
    for (int i = 0; i < 20; i++)
        regs[i] = sw_build_reg(&b, SW_T_U32, NULL);
    sw_block *first = sw_build_block(&b, NULL);
    sw_build_block(&b, "out");
    sw_build_ins(&b, SW_OP_EXIT, SW_T_NONE, 0, 0);
    sw_build_at(&b, first);
    for (int i = 1; i < 20; i++) {
        const sw_opnd o[3] = {sw_opnd_reg(regs[i]), sw_opnd_reg(regs[i - 1]),
                              sw_opnd_imm(1)};
        sw_build_op(&b, SW_OP_ADD, SW_T_U32, 1, 2, o);
    }
    sw_build_bra_if(&b, p, true, 0, 1);
    sw_diag diag;
    sw_diag_init(&diag);
    CHECK_EQ(sw_ir_verify(m, &diag), SW_OK);
    CHECK_EQ(m->fn_count, 1);
    CHECK_EQ(first->count, 20);
    CHECK_EQ(b.fn->reg_count, 22);
    sw_buf out;
    sw_buf_init(&out);
    sw_ir_print_ins(b.fn, first->ins[19], &out);
    CHECK_STR(out.p, "@!%p1#1 bra");
    sw_buf_finish(&out);
    sw_diag_finish(&diag);
    sw_module_destroy(m);
}
