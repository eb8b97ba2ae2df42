/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_cc_test.c - OpenCL programs through src/cc: options, headers, separate
 * compilation, facts about kernels, and what the log says. */
#include <unistd.h>

#include "cc/opencl.h"
#include "cc/opencl_private.h"

#include "check.h"

static bool
has(const sw_buf *text, const char *what)
{
    return text->n && memmem(text->p, text->n, what, strlen(what));
}

static bool
can_compile(void)
{
    sw_buf object, log;
    sw_cl_compile_request r = {
        .name = "a.cl", .source = sw_str_of(""), .capability = 90};
    bool can = sw_cl_compile(&r, &object, &log) != SW_E_JIT_COMPILER_NOT_FOUND;
    sw_buf_finish(&object);
    sw_buf_finish(&log);
    return can;
}

static sw_status
build(const char *source, const char *options, sw_buf *ptx, sw_buf *log)
{
    sw_cl_compile_request r = {.name = "program.cl",
                               .source = sw_str_of(source),
                               .options = options,
                               .capability = 90};
    return sw_cl_build(&r, ptx, log);
}

/* Options, the steps that take them, and what the log says; NULL: they pass. */
CASE(options)
{
    enum { C = SW_CL_STEP_COMPILE, L = SW_CL_STEP_LINK, B = SW_CL_STEP_BUILD };
    static const struct {
        const char *options;
        int steps;
        const char *says;
    } rows[] = {
        {"", B, NULL},
        {NULL, B, NULL},
        {"-D X -DY=2 -I /tmp -I/usr", B, NULL},
        {"-D 'A=\"b c\"' -I \"a b\"", C, NULL},
        {"-cl-std=CL1.1 -cl-std=CLC++2021", B, NULL},
        {"-cl-fast-relaxed-math -cl-mad-enable -w -Werror -g", C, NULL},
        {"-cl-nv-maxrregcount=32 -cl-nv-maxrregcount 16", B, NULL},
        {"-cl-nv-opt-level=3 -cl-nv-verbose -cl-nv-arch sm_70", B, NULL},
        {"-cl-denorms-are-zero -create-library", L, NULL},
        {"-cl-nothing", B, "'-cl-nothing'"},
        {"-cl-std=CL4.0", B, "'-cl-std=CL4.0'"},
        {"-cl-std", B, "'-cl-std'"},
        {"-cl-std=", B, "'-cl-std='"},
        {"-D", B, "'-D'"},
        {"-D 1X", B, "'-D'"},
        {"-I", B, "'-I'"},
        {"-x c", B, "'-x'"},
        {"-cl-nv-maxrregcount=999", B, "'-cl-nv-maxrregcount'"},
        {"-cl-nv-opt-level=7", B, "'-cl-nv-opt-level'"},
        {"-cl-mad-enabled", B, "'-cl-mad-enabled'"},
        {"file.cl", B, "'file.cl'"},
        {"-DX", L, "'-DX'"},
        {"-cl-kernel-arg-info", L, "'-cl-kernel-arg-info'"},
        {"-create-library", C, "'-create-library'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sw_buf log;
        sw_status want = rows[i].says ? SW_E_INVAL : SW_OK;
        sw_status got =
            sw_cl_check_options(rows[i].options, rows[i].steps, &log);
        bool ok = got == want && (!rows[i].says || has(&log, rows[i].says));
        if (!ok)
            printf("\"%s\": %d: %s\n", rows[i].options, (int)got,
                   log.n ? log.p : "");
        CHECK(ok);
        sw_buf_finish(&log);
    }
}

CASE(what_a_kernel_is_declared_with_is_known)
{
    static const char source[] =
        "struct pair { int a; char b; };\n"
        "__attribute__((reqd_work_group_size(8, 4, 2)))\n"
        "__attribute__((vec_type_hint(uint2)))\n"
        "kernel void k(read_only image2d_t im, sampler_t s, float3 v,\n"
        "              local volatile long2 *l, constant struct pair *c,\n"
        "              const global int *restrict p, struct pair by, char x)\n"
        "{ }\n"
        "__attribute__((work_group_size_hint(16, 1, 1)))\n"
        "kernel void empty(void) { }\n";
    static const struct {
        const char *name, *type;
        uint32_t address, access, qualifier;
        sw_cl_arg_kind kind;
        uint32_t offset, size, alignment;
    } rows[] = {
        {"im", "image2d_t", 0x119B, 0x11A0, 0, SW_CL_ARG_IMAGE, 0, 8, 1},
        {"s", "sampler_t", 0x119E, 0x11A3, 0, SW_CL_ARG_SAMPLER, 8, 8, 1},
        {"v", "float3", 0x119E, 0x11A3, 0, SW_CL_ARG_VALUE, 16, 16, 1},
        {"l", "long2*", 0x119C, 0x11A3, 4, SW_CL_ARG_LOCAL, 32, 8, 16},
        {"c", "struct pair*", 0x119D, 0x11A3, 1, SW_CL_ARG_POINTER, 40, 8, 4},
        {"p", "int*", 0x119B, 0x11A3, 3, SW_CL_ARG_POINTER, 48, 8, 4},
        {"by", "struct pair", 0x119E, 0x11A3, 0, SW_CL_ARG_VALUE, 56, 8, 4},
        {"x", "char", 0x119E, 0x11A3, 0, SW_CL_ARG_VALUE, 64, 1, 1},
    };
    sw_buf ptx, log;
    sw_cl_program_facts facts;
    if (!can_compile())
        return;
    CHECK_EQ(build(source, "-cl-nv-verbose", &ptx, &log), SW_OK);
    CHECK_EQ(sw_cl_read_facts((sw_str){ptx.p, ptx.n}, &facts), SW_OK);
    CHECK_EQ(facts.count, 2);
    CHECK(facts.verbose && facts.uniform_groups);
    const sw_cl_kernel *k = &facts.kernels[0];
    CHECK(!strcmp(k->name, "k"));
    CHECK(!strcmp(k->attributes,
                  "reqd_work_group_size(8,4,2) vec_type_hint(uint2)"));
    CHECK(k->required_size[0] == 8 && k->required_size[2] == 2);
    CHECK_EQ(k->argument_count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < k->argument_count; i++) {
        const sw_cl_argument *a = &k->arguments[i];
        CHECK(!strcmp(a->name, rows[i].name));
        CHECK(!strcmp(a->type_name, rows[i].type));
        CHECK_EQ(a->address, rows[i].address);
        CHECK_EQ(a->access, rows[i].access);
        CHECK_EQ(a->qualifier, rows[i].qualifier);
        CHECK_EQ(a->kind, rows[i].kind);
        CHECK_EQ(a->offset, rows[i].offset);
        CHECK_EQ(a->size, rows[i].size);
        CHECK_EQ(a->alignment, rows[i].alignment);
    }
    k = &facts.kernels[1];
    CHECK(!strcmp(k->name, "empty") && k->argument_count == 0);
    CHECK_EQ(k->size_hint[0], 16);
    sw_cl_free_facts(&facts);
    sw_buf_finish(&ptx);
    sw_buf_finish(&log);
    CHECK_EQ(build("kernel void k(void) { }", "-cl-std=CL3.0", &ptx, &log),
             SW_OK);
    CHECK_EQ(sw_cl_read_facts((sw_str){ptx.p, ptx.n}, &facts), SW_OK);
    CHECK(!facts.verbose && !facts.uniform_groups);
    sw_cl_free_facts(&facts);
    sw_buf_finish(&ptx);
    sw_buf_finish(&log);
    CHECK_EQ(build("kernel void k(void) { }",
                   "-cl-std=CL3.0 -cl-uniform-work-group-size", &ptx, &log),
             SW_OK);
    CHECK_EQ(sw_cl_read_facts((sw_str){ptx.p, ptx.n}, &facts), SW_OK);
    CHECK(facts.uniform_groups);
    sw_cl_free_facts(&facts);
    /* No end of them: damaged. */
    CHECK_EQ(sw_cl_read_facts((sw_str){ptx.p, 40}, &facts), SW_E_INVALID_PTX);
    CHECK_EQ(sw_cl_read_facts(sw_str_of(".version 8.5\n"), &facts),
             SW_E_INVALID_PTX);
    sw_buf_finish(&ptx);
    sw_buf_finish(&log);
}

/* The user's lines, by the names that #line and the request give. */
CASE(logs)
{
    static const struct {
        const char *source, *options;
        sw_status status;
        const char *says;
    } rows[] = {
        {"kernel void k(void)\n{ wrong; }", "", SW_E_INVALID_SOURCE,
         "program.cl:2:3: error: "},
        {"#line 40 \"my.cl\"\nkernel void k(void) { wrong; }", "",
         SW_E_INVALID_SOURCE, "my.cl:40:"},
        {"kernel void k(global int *p) { int x; p[0] = 1 ? 2 : x; { int y; "
         "p[1] = y; } }",
         "", SW_OK, ""},
        {"#warning watch out\nkernel void k(void) { }", "", SW_OK,
         "program.cl:1:2: warning: watch out"},
        {"#warning watch out\nkernel void k(void) { }", "-w", SW_OK, ""},
        {"#warning watch out\nkernel void k(void) { }", "-Werror",
         SW_E_INVALID_SOURCE, "error: watch out"},
        {"int f(int); kernel void k(global int *p) { p[0] = f(1); }", "",
         SW_E_INVALID_SOURCE, "undefined function 'f'"},
        {"#include \"none.h\"\n", "", SW_E_INVALID_SOURCE, "'none.h'"},
        {"kernel int k(void) { return 1; }", "", SW_E_INVALID_SOURCE,
         "must have void return type"},
    };
    if (!can_compile())
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sw_buf ptx, log;
        sw_status got = build(rows[i].source, rows[i].options, &ptx, &log);
        bool ok = got == rows[i].status &&
                  (*rows[i].says ? has(&log, rows[i].says) : true) &&
                  (got == SW_OK) == (ptx.n > 0) && !has(&log, "/tmp/softwarp");
        if (!ok)
            printf("%s: %d: %s\n", rows[i].source, (int)got,
                   log.n ? log.p : "");
        CHECK(ok);
        sw_buf_finish(&ptx);
        sw_buf_finish(&log);
    }
}

static sw_buf
compile(const char *source, const char *options)
{
    static const sw_cc_header header = {.name = "folder/three.h",
                                        .text = {"#define THREE 3\n", 16}};
    sw_cl_compile_request r = {.name = "part.cl",
                               .source = sw_str_of(source),
                               .headers = &header,
                               .header_count = 1,
                               .options = options,
                               .capability = 90};
    sw_buf object, log;
    CHECK_EQ(sw_cl_compile(&r, &object, &log), SW_OK);
    sw_buf_finish(&log);
    return object;
}

CASE(parts_are_linked)
{
    if (!can_compile())
        return;
    sw_buf a = compile("#include \"folder/three.h\"\nint three(void) { return "
                       "THREE * N; }",
                       "-DN=7");
    sw_buf b =
        compile("int three(void);\nkernel void k(global int *p) { p[0] = "
                "three(); }",
                "");
    const sw_cl_object objects[] = {{b.p, b.n}, {a.p, a.n}, {a.p, a.n}};
    sw_buf out, log;
    CHECK_EQ(sw_cl_link(objects, 2, NULL, false, 90, &out, &log), SW_OK);
    CHECK(has(&out, ".entry k(") && has(&out, ", 21;") &&
          has(&out, "// kernel\tk\t"));
    sw_buf_finish(&out);
    sw_buf_finish(&log);
    CHECK_EQ(sw_cl_link(objects, 1, NULL, false, 90, &out, &log),
             SW_E_INVALID_SOURCE);
    CHECK(has(&log, "'three'") && !out.n);
    sw_buf_finish(&out);
    sw_buf_finish(&log);
    CHECK_EQ(sw_cl_link(objects, 3, NULL, false, 90, &out, &log),
             SW_E_INVALID_SOURCE);
    CHECK(has(&log, "three"));
    sw_buf_finish(&out);
    sw_buf_finish(&log);
    /* a library of one, and a program with it */
    sw_buf library;
    CHECK_EQ(
        sw_cl_link(objects + 1, 1, "-create-library", true, 90, &library, &log),
        SW_OK);
    sw_buf_finish(&log);
    const sw_cl_object with[] = {objects[0], {library.p, library.n}};
    CHECK_EQ(sw_cl_link(with, 2, "", false, 90, &out, &log), SW_OK);
    CHECK(has(&out, ", 21;"));
    sw_buf_finish(&out);
    sw_buf_finish(&log);
    const sw_cl_object spirv = {"\3\2\x23\7....", 8};
    bool takes = sw_cl_takes_spirv();
    CHECK_EQ(sw_cl_link(&spirv, 1, "", false, 90, &out, &log),
             takes ? SW_E_INVALID_SOURCE : SW_E_JIT_COMPILER_NOT_FOUND);
    CHECK(takes ? log.n > 0 : has(&log, "llvm-spirv"));
    sw_buf_finish(&out);
    sw_buf_finish(&log);
    const sw_cl_object junk = {"junk", 4};
    CHECK_EQ(sw_cl_link(&junk, 1, "", false, 90, &out, &log),
             SW_E_INVALID_SOURCE);
    CHECK(log.n > 0);
    sw_buf_finish(&out);
    sw_buf_finish(&log);
    sw_buf_finish(&library);
    sw_buf_finish(&a);
    sw_buf_finish(&b);
}

/* What options do to the code. */
CASE(options_change_code)
{
    static const char sums[] =
        "kernel void k(global float *p) { float t = p[0] * p[1]; p[2] = t + "
        "p[3]; p[4] = p[5] / p[6]; }";
    static const struct {
        const char *source, *options, *there, *absent;
    } rows[] = {
        {sums, "", "mul.rn.f32", "fma.rn"},
        {sums, "-cl-mad-enable", "fma.rn.f32", "div.full"},
        {sums, "-cl-denorms-are-zero", ".ftz.f32", NULL},
        {sums, "-cl-fast-relaxed-math", "fma.rn", "div.rn.f32"},
        {sums, "-cl-nv-maxrregcount=32", ".maxnreg 32", NULL},
        {"kernel void k(global float *p) { p[2] = p[0] * p[1] + p[2]; }", "",
         "fma.rn.f32", NULL},
        {"#pragma OPENCL FP_CONTRACT OFF\nkernel void k(global float *p) { "
         "p[2] = p[0] * p[1] + p[2]; }",
         "", "add.rn.f32", "fma.rn"},
        {"kernel void k(global float *p) { p[0] = p[1] + 0.1; }",
         "-cl-single-precision-constant", "add.rn.f32", "f64"},
        {"int f(int x) { return x * 3; } kernel void k(global int *p) { p[0] = "
         "f(p[1]); }",
         "-cl-opt-disable", "call", NULL},
        {"int f(int x) { return x * 3; } kernel void k(global int *p) { p[0] = "
         "f(p[1]); }",
         "", "mul.lo.s32", "call"},
        {"kernel void k(global int *p) {\n#ifdef __FAST_RELAXED_MATH__\np[0] = "
         "77;\n#endif\n}",
         "-cl-fast-relaxed-math", "77;", NULL},
        {"kernel void k(global int *p) { p[0] = __OPENCL_C_VERSION__ + "
         "__OPENCL_VERSION__; }",
         "", ", 420;", NULL},
        {"kernel void k(global int *p) { p[0] = __OPENCL_C_VERSION__; }",
         "-cl-std=CL3.0", ", 300;", NULL},
        {"kernel void k(global int *p) { asm volatile(\"brev.b32 %0, %1;\" : "
         "\"=r\"(p[0]) : \"r\"(p[1])); }",
         "", "brev.b32", NULL},
        {"template <typename T> T twice(T x) { return x + x; }\nkernel void "
         "k(global int *p) { p[0] = twice(p[1]); }",
         "-cl-std=CLC++2021", "shl.b32", NULL},
    };
    if (!can_compile())
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sw_buf ptx, log;
        sw_status got = build(rows[i].source, rows[i].options, &ptx, &log);
        bool ok = got == SW_OK && has(&ptx, rows[i].there) &&
                  !(rows[i].absent && has(&ptx, rows[i].absent));
        if (!ok)
            printf("%s with %s: %d: %s%s\n", rows[i].source, rows[i].options,
                   (int)got, log.n ? log.p : "", ptx.n ? ptx.p : "");
        CHECK(ok);
        sw_buf_finish(&ptx);
        sw_buf_finish(&log);
    }
}

/* SPIR-V passes arguments of printf as they are, C promotes them. */
CASE(spirv_calls_printf)
{
    static const char from[] =
        "  %5 = call spir_func i32 (ptr addrspace(2), ...) @printf("
        "ptr addrspace(2) @f, float %x, i8 %c, <2 x float> %v, double 1.0)\n";
    static const char to[] =
        "  %softwarp.printf.0 = fpext float %x to double\n"
        "  %softwarp.printf.1 = zext i8 %c to i32\n"
        "  %5 = call i32 (ptr addrspace(4), ...) @printf("
        "ptr addrspace(4) @f, double %softwarp.printf.0, "
        "i32 %softwarp.printf.1, <2 x float> %v, double 1.0)\n";
    sw_buf out;
    sw_buf_init(&out);
    cl_spirv_adapt(sw_str_of(from), &out);
    CHECK(sw_str_is((sw_str){out.p, out.n}, to));
    sw_buf_finish(&out);
}
