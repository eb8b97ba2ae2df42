/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_object_test.c - objects of real compilers are loaded and run; what the
 * loader refuses; damaged objects.
 */
#include <elf.h>
#include <math.h>

#include "check.h"
#include "jit/tier/object.h"
#include "jit_compile.h"

static const char *const compilers[] = {"cc", SW_CLANG};
static const char *const models[] = {
    "-O2 -fPIC",
    "-O2 -fno-pic -fno-pie",
    "-O0 -fPIC -g",
    "-O3 -fPIC -fno-plt -msse4.1",
    "-O2 -fPIC -mcmodel=large -ffunction-sections",
    "-O2 -fPIE -fno-asynchronous-unwind-tables",
};

static int
twice_plus_one(int x)
{
    return 2 * x + 1;
}

static const sw_jit_external externals[] = {
    {"memcpy", (sw_jit_code *)memcpy},
    {"memset", (sw_jit_code *)memset},
    {"fma", (sw_jit_code *)fma},
    {"floorf", (sw_jit_code *)floorf},
    {"twice_plus_one", (sw_jit_code *)twice_plus_one},
};

/* Loads it with the externals above; `message` gets the first diagnostic. */
static sw_status
load(const void *bytes, size_t size, sw_jit_object **out, char message[256])
{
    sw_diag diag;
    sw_diag_init(&diag);
    sw_status status =
        sw_jit_object_load(bytes, size, externals,
                           sizeof externals / sizeof *externals, out, &diag);
    snprintf(message, 256, "%s",
             diag.entries.count
                 ? ((sw_diag_entry *)sw_vec_at(&diag.entries, 0))->text
                 : "");
    sw_diag_finish(&diag);
    return status;
}

/* Constants of all kinds, tables of jumps and of addresses, calls. */
static const char everything[] =
    "typedef __SIZE_TYPE__ size_t;\n"
    "void *memcpy(void *, const void *, size_t);\n"
    "void *memset(void *, int, size_t);\n"
    "double fma(double, double, double);\n"
    "float floorf(float);\n"
    "extern int twice_plus_one(int);\n"
    "static const double weights[4] = {0.5, 1.5, 2.25, 1e300};\n"
    "static const char *const words[] = {\"zero\", \"one\", \"two\", "
    "\"three\"};\n"
    "static int same(int x) { return x; }\n"
    "static int (*const callees[2])(int) = {same, twice_plus_one};\n"
    "__attribute__((noinline)) int choose(int x)\n"
    "{\n"
    "    switch (x) {\n"
    "    case 0: return twice_plus_one(10);\n"
    "    case 1: return -7;\n"
    "    case 2: return twice_plus_one(x);\n"
    "    case 3: return 1 << 20;\n"
    "    case 4: return 9;\n"
    "    case 5: return 42;\n"
    "    case 6: return words[x - 3][1];\n"
    "    default: return 0;\n"
    "    }\n"
    "}\n"
    "__attribute__((noinline)) static float pool(float x)\n"
    "{\n"
    "    return floorf(x * 3.14159f) + 0.25f;\n"
    "}\n"
    "int softwarp_kernel(int x, double *d, float *f, char *text, size_t n)\n"
    "{\n"
    "    d[0] = fma(d[0], weights[x & 3], 1e-3);\n"
    "    for (int i = 0; i < 16; i++)\n"
    "        f[i] = f[i] * 1.1f + (float)i * 0.3f;\n"
    "    f[16] = pool(f[16]);\n"
    "    memset(text, '.', n);\n"
    "    memcpy(text, words[x & 3], n < 3 ? n : 3);\n"
    "    return callees[x >> 3 & 1](choose(x & 7));\n"
    "}\n";

typedef int kernel_fn(int x, double *d, float *f, char *text, size_t n);

/* Runs it on x; false where anything differs from what C says. */
static bool
is_right(kernel_fn *fn, int x)
{
    static const int results[] = {21, -7, 5, 1 << 20, 9, 42, 'h', 0};
    static const double weights[] = {0.5, 1.5, 2.25, 1e300};
    static const char *const texts[] = {"zer..", "one..", "two..", "thr.."};
    double d = 3;
    float f[17];
    char text[6] = "";
    for (int i = 0; i < 17; i++)
        f[i] = (float)i;
    int result = fn(x, &d, f, text, 5);
    int wanted = results[x & 7];
    wanted = x & 8 ? twice_plus_one(wanted) : wanted;
    bool ok = result == wanted && d == fma(3, weights[x & 3], 1e-3) &&
              f[16] == floorf(16.0f * 3.14159f) + 0.25f &&
              !strcmp(text, texts[x & 3]);
    for (int i = 0; i < 16; i++)
        ok &= fabsf(f[i] - ((float)i * 1.1f + (float)i * 0.3f)) < 1e-4f;
    return ok;
}

CASE(what_compilers_make_runs)
{
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        if (!has_compiler(compilers[c])) {
            printf("skip: %s is not installed\n", compilers[c]);
            continue;
        }
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            size_t size = 0;
            char message[256];
            sw_jit_object *object = NULL;
            char *bytes = compile(compilers[c], models[m], everything, &size);
            CHECK(bytes != NULL);
            if (!bytes)
                continue;
            CHECK_EQ(load(bytes, size, &object, message), SW_OK);
            if (!object) {
                printf("%s %s: %s\n", compilers[c], models[m], message);
                sw_free(bytes);
                continue;
            }
            memset(bytes, 0xcc, size); /* not needed any more */
            kernel_fn *fn =
                (kernel_fn *)sw_jit_object_entry(object, "softwarp_kernel");
            CHECK(fn != NULL);
            for (int x = 0; fn && x < 16; x++)
                CHECK(is_right(fn, x));
            CHECK(sw_jit_object_entry(object, "pool") == NULL);
            CHECK(sw_jit_object_entry(object, "memcpy") == NULL);
            CHECK_EQ(sw_jit_object_bytes(object) % 4096, 0);
            sw_jit_object_destroy(object);
            sw_free(bytes);
        }
    }
}

CASE(functions_and_sections_are_listed)
{
    size_t size = 0, count = 0;
    char message[256];
    sw_jit_object *object = NULL;
    char *bytes = compile("cc", "-O2 -fPIC -fno-ipa-icf", everything, &size);
    CHECK(bytes && load(bytes, size, &object, message) == SW_OK);
    if (!object)
        return;
    const sw_jit_function *functions = sw_jit_object_functions(object, &count);
    sw_jit_code *entry = sw_jit_object_entry(object, "softwarp_kernel");
    unsigned found = 0;
    for (size_t i = 0; i < count; i++) {
        found += !strncmp(functions[i].name, "pool", 4);
        if (!strcmp(functions[i].name, "softwarp_kernel")) {
            CHECK((uintptr_t)functions[i].address == (uintptr_t)entry);
            CHECK(functions[i].bytes > 20);
            found++;
        }
    }
    CHECK_EQ(found, 2);
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    unsigned loaded = 0;
    for (uint32_t i = 0; i < header.e_shnum; i++)
        loaded += sw_jit_object_section(object, i) != NULL;
    CHECK(loaded >= 3 && loaded < header.e_shnum);
    CHECK(!sw_jit_object_section(object, header.e_shnum));
    sw_jit_object_destroy(object);
    sw_free(bytes);
}

/* Code is not written and constants do not run: what the system says. */
static bool
has_protection(uintptr_t p, const char *want)
{
    char line[512];
    bool is = false;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(line, sizeof line, f)) {
        unsigned long low = 0, high = 0;
        char protection[8];
        if (sscanf(line, "%lx-%lx %4s", &low, &high, protection) == 3 &&
            p >= low && p < high)
            is = !strcmp(protection, want);
    }
    if (f)
        fclose(f);
    return is;
}

CASE(nothing_is_both_written_and_run)
{
    size_t size = 0;
    char message[256];
    sw_jit_object *object = NULL;
    char *bytes = compile("cc", "-O2 -fPIC", everything, &size);
    CHECK(bytes && load(bytes, size, &object, message) == SW_OK);
    if (!object)
        return;
    sw_jit_code *entry = sw_jit_object_entry(object, "softwarp_kernel");
    CHECK(has_protection((uintptr_t)entry, "r-xp"));
    Elf64_Ehdr h;
    memcpy(&h, bytes, sizeof h);
    for (uint32_t i = 0; i < h.e_shnum; i++) {
        Elf64_Shdr s;
        memcpy(&s, bytes + h.e_shoff + i * sizeof s, sizeof s);
        const uint8_t *at = sw_jit_object_section(object, i);
        if (at && !(s.sh_flags & SHF_EXECINSTR))
            CHECK(has_protection((uintptr_t)at, "r--p"));
    }
    sw_jit_object_destroy(object);
    sw_free(bytes);
}

CASE(what_is_not_supported_is_named)
{
    static const struct {
        const char *source;
        sw_status status;
        const char *message;
    } cases[] = {
        {"void nobody(void); void softwarp_kernel(void) { nobody(); }",
         SW_E_SHARED_OBJECT_SYMBOL_NOT_FOUND,
         "compiled code: needs the unknown symbol 'nobody'"},
        {"extern int number; int softwarp_kernel(void) { return number; }",
         SW_E_SHARED_OBJECT_SYMBOL_NOT_FOUND,
         "compiled code: needs the unknown symbol 'number'"},
        {"int seen = 3; int softwarp_kernel(void) { return seen++; }",
         SW_E_NOT_SUPPORTED, "compiled code: section that is written '.data'"},
        {"static int seen; int softwarp_kernel(void) { return seen++; }",
         SW_E_NOT_SUPPORTED, "compiled code: section that is written '.bss'"},
        {"_Thread_local int x = 1; int softwarp_kernel(void) { return x++; }",
         SW_E_NOT_SUPPORTED, "compiled code: thread-local section '.tdata'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = 0;
        char message[256];
        sw_jit_object *object = NULL;
        char *bytes = compile("cc", "-O1 -fPIC", cases[i].source, &size);
        CHECK(bytes != NULL);
        CHECK_EQ(load(bytes, size, &object, message), cases[i].status);
        CHECK_STR(message, cases[i].message);
        CHECK(!object);
        sw_jit_object_destroy(object);
        sw_free(bytes);
    }
}

static uint64_t
next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Loads what `bytes` are in memory of exactly their size, so that a checker of
 * memory sees each byte too many. True if it was taken. */
static bool
survives(const char *bytes, size_t size)
{
    char message[256];
    char *copy = sw_alloc(size);
    sw_jit_object *object = NULL;
    memcpy(copy, bytes, size);
    sw_status status = load(copy, size, &object, message);
    CHECK((status == SW_OK) == (object != NULL));
    CHECK((status == SW_OK) == (message[0] == 0));
    sw_jit_object_destroy(object);
    sw_free(copy);
    return status == SW_OK;
}

CASE(damaged_objects_are_refused)
{
    size_t size = 0;
    char *bytes = compile("cc", "-O2 -fPIC -g", everything, &size);
    CHECK(bytes != NULL);
    if (!bytes)
        return;
    CHECK(survives(bytes, size));
    /* The table of sections ends the file. */
    for (size_t n = 0; n < size; n += n < 2048 || n + 2048 > size ? 1 : 37)
        CHECK(!survives(bytes, n));

    uint64_t state = 88172645463325252;
    unsigned refused = 0;
    Elf64_Ehdr h;
    memcpy(&h, bytes, sizeof h);
    char *damaged = sw_alloc(size);
    for (int i = 0; i < 20000; i++) {
        memcpy(damaged, bytes, size);
        for (uint64_t n = next_random(&state) % 4; n < 4; n++) {
            /* A third in the header, a third in the table of sections. */
            uint64_t at = next_random(&state), where = at % 3;
            at = where == 0   ? at / 3 % sizeof(Elf64_Ehdr)
                 : where == 1 ? h.e_shoff + at / 3 % (size - h.e_shoff)
                              : at / 3 % size;
            uint64_t r = next_random(&state);
            if (r & 1)
                damaged[at] = (char)(damaged[at] ^ (1 << (r >> 1) % 8));
            else
                damaged[at] = (char)(r & 2 ? 0xff : r >> 8);
        }
        refused += !survives(damaged, size);
    }
    CHECK(refused > 10000);
    sw_free(damaged);
    sw_free(bytes);
}
