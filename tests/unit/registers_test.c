/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registers_test.c - the register allocator against what a vendor's assembler
 * took for the kernels of tests/data/registers (make.sh there says how they
 * were made). Prints the mean absolute error of each set and generation; with
 * SW_TEST_VERBOSE set, every kernel's.
 */
#include "mach/registers.h"

#include <stdlib.h>

#include "check.h"
#include "device/occupancy.h"
#include "front/ptx/ptx.h"
#include "rt/module.h"

enum { GENERATIONS = 6, NAME = 512 };

static const int capabilities[GENERATIONS] = {50, 61, 70, 75, 80, 90};

static const sw_fn *
find_fn(const sw_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->fn_count; i++)
        if (!strcmp(module->fns[i]->name, name))
            return module->fns[i];
    return NULL;
}

static sw_module *
load(const char *path, sw_diag *diag)
{
    char *text = NULL;
    size_t n = 0;
    sw_module *module = NULL;
    if (sw_file_read(path, &text, &n) == SW_OK)
        module = sw_ptx_parse(path, text, n, diag);
    sw_free(text);
    return module;
}

static uint32_t
estimate(const sw_fn *fn, int cc, uint32_t most)
{
    return sw_rt_registers(fn, sw_device_limits(cc), most).registers;
}

typedef struct {
    unsigned kernels, error, exact, most;
    int bias;
} tally;

/* A row of the table: file, kernel, a number for each generation. */
static bool
split(char *line, char *cells[2 + GENERATIONS])
{
    int n = 0;
    line[strcspn(line, "\r\n")] = 0;
    while (line && n < 2 + GENERATIONS) {
        cells[n++] = line;
        line = strchr(line, ',');
        if (line)
            *line++ = 0;
    }
    return n == 2 + GENERATIONS && !line;
}

static void
count(const sw_fn *fn, char *const cells[], tally set[GENERATIONS])
{
    bool is_verbose = getenv("SW_TEST_VERBOSE") != NULL;
    if (is_verbose)
        printf("%-12.12s %-40.40s", cells[0], cells[1]);
    for (int g = 0; g < GENERATIONS; g++) {
        int want = atoi(cells[2 + g]);
        if (!want)
            continue;
        int off = (int)estimate(fn, capabilities[g], 0) - want;
        if (is_verbose)
            printf(" %3d %+-4d", want, off);
        set[g].kernels++;
        set[g].error += (unsigned)abs(off);
        set[g].bias += off;
        set[g].exact += off == 0;
        if ((unsigned)abs(off) > set[g].most)
            set[g].most = (unsigned)abs(off);
    }
    if (is_verbose)
        putchar('\n');
}

static void
print_set(const char *name, const tally set[GENERATIONS])
{
    printf("%s\n", name);
    for (int g = 0; g < GENERATIONS; g++)
        printf("  sm_%d: mean absolute error %.2f registers over %u kernels "
               "(mean %+.2f, worst %u, %u exact)\n",
               capabilities[g], (double)set[g].error / set[g].kernels,
               set[g].kernels, (double)set[g].bias / set[g].kernels,
               set[g].most, set[g].exact);
}

CASE(mean_error_is_under_three)
{
    FILE *f = fopen("tests/data/registers/registers.csv", "r");
    char line[NAME], file[NAME] = "", path[2 * NAME];
    char *cells[2 + GENERATIONS];
    tally sets[2][GENERATIONS] = {{{0}}};
    sw_module *module = NULL;
    sw_diag diag;
    sw_diag_init(&diag);
    CHECK(f != NULL);
    CHECK(f && fgets(line, sizeof line, f) != NULL); /* the heading */
    while (f && fgets(line, sizeof line, f)) {
        CHECK(split(line, cells));
        if (strcmp(file, cells[0]) != 0) {
            snprintf(file, sizeof file, "%s", cells[0]);
            snprintf(path, sizeof path, "tests/data/registers/%s.ptx", file);
            sw_module_destroy(module);
            module = load(path, &diag);
            CHECK(module != NULL);
        }
        const sw_fn *fn = module ? find_fn(module, cells[1]) : NULL;
        CHECK(fn != NULL);
        if (fn)
            count(fn, cells, sets[strcmp(file, "truth") == 0]);
    }
    print_set("examples and benchmarks", sets[0]);
    print_set("the 57 kernels of truth.ptx", sets[1]);
    CHECK_EQ(sets[1][5].kernels, 57);
    CHECK(sets[0][5].kernels > 50);
    for (int g = 0; g < GENERATIONS; g++)
        for (int s = 0; s < 2; s++)
            CHECK(sets[s][g].error <
                  (capabilities[g] == 75 ? 4 : 3) * sets[s][g].kernels);
    sw_module_destroy(module);
    sw_diag_finish(&diag);
    if (f)
        fclose(f);
}

static sw_module *
parse(const char *text)
{
    sw_diag diag;
    sw_diag_init(&diag);
    sw_module *module = sw_ptx_parse("t", text, strlen(text), &diag);
    CHECK(module != NULL);
    sw_diag_finish(&diag);
    return module;
}

/* A kernel with so many words live over a barrier; directives: its bounds. */
static sw_module *
parse_words(const char *directives, int words)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_buf_printf(&text,
                  ".version 7.0\n.target sm_70\n.address_size 64\n"
                  ".entry k(.param .u64 p) %s\n"
                  "{ .reg .b32 %%r<%d>; .reg .b64 %%d<2>;\n"
                  "ld.param.u64 %%d1, [p];\n",
                  directives, words);
    for (int i = 0; i < words; i++)
        sw_buf_printf(&text, "ld.global.u32 %%r%d, [%%d1+%d];\n", i, 4 * i);
    sw_buf_puts(&text, "bar.sync 0;\n");
    for (int i = 0; i < words; i++)
        sw_buf_printf(&text, "st.global.u32 [%%d1+%d], %%r%d;\n", 4 * i, i);
    sw_buf_puts(&text, "ret; }\n");
    sw_module *module = parse(text.p);
    sw_buf_finish(&text);
    return module;
}

/* Rules that can be told by hand: R1 and, from 7.0 on, two more are taken;
 * a call takes 24; .maxnreg is kept. */
CASE(bounds_hold)
{
    static const char text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        ".entry empty()\n{ ret; }\n"
        ".entry calls()\n{ .reg .b64 %d; mov.u64 %d, 0;\n"
        "{ .param .b64 f; .param .b64 a; .param .b32 r;\n"
        "st.param.b64 [f], %d; st.param.b64 [a], %d;\n"
        "call (r), vprintf, (f, a); } ret; }\n"
        ".entry few().maxnreg 24\n"
        "{ .reg .b32 %r<40>; .reg .b64 %d<2>;\n"
        "ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [%d1];\n"
        "ld.global.v4.u32 {%r5,%r6,%r7,%r8}, [%d1+16];\n"
        "ld.global.v4.u32 {%r9,%r10,%r11,%r12}, [%d1+32];\n"
        "ld.global.v4.u32 {%r13,%r14,%r15,%r16}, [%d1+48];\n"
        "ld.global.v4.u32 {%r17,%r18,%r19,%r20}, [%d1+64];\n"
        "bar.sync 0;\n"
        "st.global.v4.u32 [%d1], {%r1,%r2,%r3,%r4};\n"
        "st.global.v4.u32 [%d1+16], {%r5,%r6,%r7,%r8};\n"
        "st.global.v4.u32 [%d1+32], {%r9,%r10,%r11,%r12};\n"
        "st.global.v4.u32 [%d1+48], {%r13,%r14,%r15,%r16};\n"
        "st.global.v4.u32 [%d1+64], {%r17,%r18,%r19,%r20};\n"
        "ret; }\n";
    sw_module *module = parse(text);
    if (!module)
        return;
    const sw_fn *few = find_fn(module, "few");
    const sw_cc_limits *h = sw_device_limits(90);
    CHECK_EQ(estimate(find_fn(module, "empty"), 90, 0), 4);
    CHECK_EQ(estimate(find_fn(module, "empty"), 61, 0), 2);
    CHECK_EQ(estimate(find_fn(module, "calls"), 90, 0), 24);
    /* 20 loaded words, a pair of addresses, R1 and the two are 25. */
    CHECK(sw_rt_registers(few, h, 255).registers <= 24);
    CHECK(sw_rt_registers(few, h, 0).spill_loads > 0);
    sw_module_destroy(module);
}

/* 32 words live over a barrier: with room nothing is spilled; with less,
 * what is stored is loaded again, and the stack holds it once. */
CASE(what_does_not_fit_is_spilled)
{
    sw_module *module = parse_words("", 32);
    if (!module)
        return;
    const sw_cc_limits *h = sw_device_limits(90);
    const sw_fn *fn = find_fn(module, "k");
    sw_registers all = sw_rt_registers(fn, h, 0);
    CHECK(all.registers >= 32 + 1 + 2);
    CHECK_EQ(all.spill_stores + all.spill_loads + all.stack, 0);
    for (uint32_t most = 24; most <= 32; most += 4) {
        sw_registers r = sw_rt_registers(fn, h, most);
        CHECK(r.registers <= most);
        /* At least what is beyond the bound. */
        CHECK(r.spill_stores >= 4 * (32 + 3 - most));
        CHECK_EQ(r.spill_loads, r.spill_stores);
        CHECK_EQ(r.stack, r.spill_stores);
    }
    sw_module_destroy(module);
}

/* 64 K registers are 64 each for 1024 threads, and 32 for two such blocks. */
CASE(launch_bounds_are_kept)
{
    static const struct {
        const char *directives;
        uint32_t most;
    } bounds[] = {{".maxntid 1024", 64},
                  {".reqntid 512, 2", 64},
                  {".maxntid 1024 .minnctapersm 2", 32}};
    const sw_cc_limits *h = sw_device_limits(90);
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        sw_module *module = parse_words(bounds[i].directives, 80);
        if (!module)
            return;
        sw_registers r = sw_rt_registers(find_fn(module, "k"), h, 0);
        CHECK(r.registers <= bounds[i].most);
        CHECK(r.spill_loads >= 4 * (80 + 3 - bounds[i].most));
        sw_module_destroy(module);
    }
    sw_module *module = parse_words(".maxntid 256", 80);
    if (!module)
        return;
    sw_registers r = sw_rt_registers(find_fn(module, "k"), h, 0);
    CHECK(r.registers >= 80 + 3);
    CHECK_EQ(r.spill_loads, 0);
    sw_module_destroy(module);
}

/* What ptxas spills under a bound, we do; sizes are printed. */
CASE(spilling_is_foreseen)
{
    FILE *f = fopen("tests/data/registers/spills.csv", "r");
    char line[NAME], file[NAME] = "", kernel[NAME], path[2 * NAME];
    unsigned rows = 0, agree = 0, ours = 0, theirs = 0;
    sw_module *module = NULL;
    sw_diag diag;
    sw_diag_init(&diag);
    CHECK(f && fgets(line, sizeof line, f) != NULL); /* the heading */
    while (f && fgets(line, sizeof line, f)) {
        unsigned most, stores, loads, stack;
        char name[NAME];
        CHECK_EQ(sscanf(line, "%511[^,],%511[^,],%u,%u,%u,%u", name, kernel,
                        &most, &stores, &loads, &stack),
                 6);
        if (strcmp(file, name) != 0) {
            snprintf(file, sizeof file, "%s", name);
            snprintf(path, sizeof path, "tests/data/registers/%s.ptx", file);
            sw_module_destroy(module);
            module = load(path, &diag);
            CHECK(module != NULL);
        }
        const sw_fn *fn = module ? find_fn(module, kernel) : NULL;
        CHECK(fn != NULL);
        if (!fn)
            continue;
        sw_registers r = sw_rt_registers(fn, sw_device_limits(90), most);
        CHECK(r.registers <= most);
        bool spills = r.spill_stores + r.spill_loads > 0;
        rows++;
        agree += spills == (stores + loads > 0);
        ours += r.spill_stores + r.spill_loads;
        theirs += stores + loads;
    }
    printf("whether something is spilled: right for %u of %u; %u bytes of "
           "loads and stores, of ptxas %u\n",
           agree, rows, ours, theirs);
    CHECK(rows > 200);
    CHECK(agree * 100 >= rows * 95);
    sw_module_destroy(module);
    sw_diag_finish(&diag);
    if (f)
        fclose(f);
}

CASE(full_registers_of_devices)
{
    /* 64 K registers for 2048, 1024 and 1536 threads; 8 K for 768. */
    CHECK_EQ(sw_occ_full_registers(sw_device_limits(90)), 32);
    CHECK_EQ(sw_occ_full_registers(sw_device_limits(75)), 64);
    CHECK_EQ(sw_occ_full_registers(sw_device_limits(86)), 40);
    CHECK_EQ(sw_occ_full_registers(sw_device_limits(10)), 10);
    /* Blocks of 1024: 64 each; two of them 32. */
    CHECK_EQ(sw_occ_bound_registers(sw_device_limits(80), 1024, 0), 64);
    CHECK_EQ(sw_occ_bound_registers(sw_device_limits(80), 1024, 2), 32);
    CHECK_EQ(sw_occ_bound_registers(sw_device_limits(80), 100, 0), 255);
}
