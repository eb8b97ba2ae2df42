/* SPDX-License-Identifier: Apache-2.0 */
/* elf_test.c - sections, symbols and libraries of what nvcc made. */
#include "front/fatbin/elf.h"

#include "check.h"
#include "front/fatbin/fatbin.h"

#define DATA "tests/data/fatbin/"

static char *
read_exact(const char *path, sw_str *bytes)
{
    char *text = NULL;
    size_t n = 0;
    if (sw_file_read(path, &text, &n))
        printf("can't read %s\n", path);
    char *exact = sw_alloc(n ? n : 1);
    if (n)
        memcpy(exact, text, n);
    sw_free(text);
    *bytes = (sw_str){exact, n};
    return exact;
}

CASE(an_object_holds_its_fat_binary)
{
    static const char *const files[][2] = {{DATA "plain.o", ".nv_fatbin"},
                                           {DATA "rdc.o", "__nv_relfatbin"}};
    for (int i = 0; i < 2; i++) {
        sw_str bytes;
        char *file = read_exact(files[i][0], &bytes);
        sw_arena *arena = sw_arena_create();
        sw_elf elf;
        sw_elf_section section;
        sw_fatbin f;
        CHECK_EQ(sw_elf_open(bytes, "", &elf, NULL), SW_OK);
        CHECK_EQ(elf.type, 1);
        CHECK_EQ(elf.machine, 62);
        CHECK(sw_elf_find_section(&elf, files[i][1], &section));
        CHECK_EQ(
            sw_fatbin_parse(arena, section.bytes.p, section.bytes.n, &f, NULL),
            SW_OK);
        CHECK_EQ(f.count, 1);
        if (f.count)
            CHECK(strstr(f.entries[0].data.p, ".entry") != NULL);
        CHECK(sw_elf_find_section(&elf, ".nvFatBinSegment", &section));
        CHECK_EQ(section.bytes.n, 24);
        CHECK(!sw_elf_find_section(&elf, ".none", &section));
        CHECK(!sw_elf_section_at(&elf, elf.sections, &section));
        sw_arena_destroy(arena);
        sw_free(file);
    }
}

CASE(symbols_defined_and_not)
{
    sw_str bytes;
    char *file = read_exact(DATA "plain.o", &bytes);
    sw_elf elf;
    sw_elf_symbol symbol;
    CHECK_EQ(sw_elf_open(bytes, "", &elf, NULL), SW_OK);
    CHECK(sw_elf_find_symbol(&elf, "scale", &symbol));
    CHECK_EQ(symbol.type, 2);
    CHECK_EQ(symbol.binding, 1);
    CHECK(symbol.section != 0);
    CHECK(symbol.size > 0);
    CHECK(sw_elf_find_symbol(&elf, "__cudaRegisterFatBinary", &symbol));
    CHECK_EQ(symbol.section, 0);
    CHECK(!sw_elf_find_symbol(&elf, "scal", &symbol));
    uint64_t it = 0;
    unsigned n = 0;
    while (sw_elf_next_symbol(&elf, &it, &symbol))
        n++;
    CHECK(n > 10);
    CHECK(!sw_elf_next_symbol(&elf, &it, &symbol));
    sw_free(file);
}

CASE(needed_libraries)
{
    sw_str bytes, name;
    char *file = read_exact(DATA "shared_program", &bytes);
    sw_elf elf;
    uint64_t it = 0;
    unsigned cudart = 0, libc = 0;
    CHECK_EQ(sw_elf_open(bytes, "", &elf, NULL), SW_OK);
    while (sw_elf_next_needed(&elf, &it, &name)) {
        cudart += sw_str_is(name, "libcudart.so.13");
        libc += sw_str_is(name, "libc.so.6");
    }
    CHECK_EQ(cudart, 1);
    CHECK_EQ(libc, 1);
    sw_free(file);
}

CASE(the_declared_size_of_a_cubin_is_its_size)
{
    sw_str bytes;
    char *file = read_exact(DATA "sm80.cubin", &bytes);
    CHECK(bytes.n > 64);
    CHECK_EQ(sw_elf_declared_bytes(bytes.p), bytes.n);
    CHECK_EQ(sw_elf_declared_bytes("\x7f"
                                   "ELF\x01\x01"),
             0);
    sw_free(file);
}

/* Reads all that can be read. */
static unsigned
walk(sw_str bytes)
{
    sw_elf elf;
    sw_elf_section section;
    sw_elf_symbol symbol;
    sw_str name;
    uint64_t it = 0, needed = 0;
    unsigned sum = 0;
    if (sw_elf_open(bytes, "", &elf, NULL))
        return 0;
    for (uint32_t i = 0; i < elf.sections && i < 1000; i++)
        if (sw_elf_section_at(&elf, i, &section)) {
            for (size_t k = 0; k < section.bytes.n; k += 64)
                sum += (unsigned char)section.bytes.p[k];
            for (size_t k = 0; k < section.name.n; k++)
                sum += (unsigned char)section.name.p[k];
        }
    while (sw_elf_next_symbol(&elf, &it, &symbol))
        for (size_t k = 0; k < symbol.name.n; k++)
            sum += (unsigned char)symbol.name.p[k];
    while (sw_elf_next_needed(&elf, &needed, &name))
        for (size_t k = 0; k < name.n; k++)
            sum += (unsigned char)name.p[k];
    return sum + 1;
}

CASE(cut_off_and_damaged_files_are_safe)
{
    static const char *const files[] = {DATA "sm80.cubin", DATA "rdc.o"};
    for (int i = 0; i < 2; i++) {
        sw_str bytes;
        uint64_t state = 88172645463325252u;
        unsigned refused = 0;
        char *file = read_exact(files[i], &bytes);
        CHECK(walk(bytes) > 1);
        for (size_t k = 0; k < bytes.n; k++) {
            char *cut = sw_alloc(k ? k : 1);
            memcpy(cut, bytes.p, k);
            refused += walk((sw_str){cut, k}) == 0;
            sw_free(cut);
        }
        CHECK(refused > 64);
        for (int round = 0; round < 2000; round++) {
            char *bad = sw_alloc(bytes.n);
            memcpy(bad, bytes.p, bytes.n);
            for (int k = 0; k < 4; k++) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                size_t span = k & 1 ? bytes.n : 64;
                bad[4 + state % (span - 4)] ^= (char)(1 << (state >> 60 & 7));
            }
            refused += walk((sw_str){bad, bytes.n}) == 0;
            sw_free(bad);
        }
        sw_free(file);
    }
}

CASE(what_is_no_elf_says_so)
{
    sw_diag diag;
    sw_elf elf;
    sw_diag_init(&diag);
    CHECK_EQ(sw_elf_open(sw_str_of("hello"), "f", &elf, &diag),
             SW_E_INVALID_IMAGE);
    CHECK_EQ(sw_elf_open((sw_str){"\x7f"
                                  "ELF",
                                  4},
                         "f", &elf, &diag),
             SW_E_INVALID_IMAGE);
    CHECK_EQ(diag.errors, 2);
    sw_diag_finish(&diag);
}
