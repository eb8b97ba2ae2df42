/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fatbin_test.c - reading and writing containers of device code: what nvcc
 * makes in each mode (tests/data/fatbin), what is damaged, what we write.
 */
#include "front/fatbin/fatbin.h"

#include "check.h"

#define DATA "tests/data/fatbin/"

/* The file in memory of exactly its size, so that a checker sees a read past
 * its end. Owned by caller, sw_free. */
static char *
read_exact(const char *path, size_t *n)
{
    char *text = NULL;
    if (sw_file_read(path, &text, n)) {
        printf("can't read %s\n", path);
        *n = 0;
        return sw_alloc(1);
    }
    char *exact = sw_alloc(*n ? *n : 1);
    memcpy(exact, text, *n);
    sw_free(text);
    return exact;
}

static uint32_t
count_kind(const sw_fatbin *f, uint32_t kind)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->count; i++)
        n += f->entries[i].kind == kind;
    return n;
}

/* Does the diag's last sentence hold `part`? Prints it if not. */
static bool
says(const sw_diag *diag, const char *part)
{
    if (!diag->entries.count)
        return false;
    const sw_diag_entry *e = sw_vec_at(&diag->entries, diag->entries.count - 1);
    bool found = strstr(e->text, part) != NULL;
    if (!found)
        printf("says: %s\n", e->text);
    return found;
}

static const char *const modes[] = {DATA "default.fatbin", DATA "size.fatbin",
                                    DATA "speed.fatbin", DATA "speedall.fatbin",
                                    DATA "none.fatbin"};
enum { MODES = sizeof modes / sizeof *modes };

CASE(every_compression_gives_the_same_text)
{
    /* The uncompressed file shows its text to anyone: from the first
     * .version to the NUL. */
    size_t plain_n = 0;
    char *plain = read_exact(modes[MODES - 1], &plain_n);
    const char *want = memmem(plain, plain_n, ".version", 8);
    CHECK(want != NULL);
    for (int i = 0; i < MODES && want; i++) {
        size_t n = 0;
        char *bytes = read_exact(modes[i], &n);
        sw_arena *arena = sw_arena_create();
        sw_fatbin f;
        CHECK_EQ(sw_fatbin_parse(arena, bytes, n, &f, NULL), SW_OK);
        CHECK_EQ(f.modules, 1);
        CHECK_EQ(count_kind(&f, SW_FATBIN_PTX), 2);
        CHECK_EQ(count_kind(&f, SW_FATBIN_ELF), 1);
        const sw_fatbin_entry *e = sw_fatbin_choose(&f, 0, 75);
        CHECK(e != NULL);
        if (e) {
            sw_str name;
            size_t pos = 0;
            CHECK_EQ(e->arch, 75);
            CHECK_EQ(e->major, 9);
            CHECK_EQ(e->minor, 0);
            CHECK_EQ(strlen(e->data.p), e->data.n);
            CHECK_EQ(e->pack, i < 2   ? SW_FATBIN_ZSTD
                              : i < 4 ? SW_FATBIN_LZ4
                                      : SW_FATBIN_STORED);
            CHECK_STR(strstr(e->data.p, ".version"), want);
            CHECK(sw_fatbin_next_kernel(e->data, &pos, &name));
            CHECK(sw_str_is(name, "scale"));
            CHECK(sw_fatbin_next_kernel(e->data, &pos, &name));
            CHECK(sw_str_is(name, "_Z4fillPi"));
            CHECK(!sw_fatbin_next_kernel(e->data, &pos, &name));
        }
        sw_arena_destroy(arena);
        sw_free(bytes);
    }
    sw_free(plain);
}

CASE(the_highest_not_above_else_the_lowest_above)
{
    sw_fatbin_entry entries[] = {
        {.kind = SW_FATBIN_PTX, .arch = 52},
        {.kind = SW_FATBIN_PTX, .arch = 90, .variant = 'a'},
        {.kind = SW_FATBIN_PTX, .arch = 90},
        {.kind = SW_FATBIN_ELF, .arch = 80},
        {.kind = SW_FATBIN_PTX, .arch = 75},
        {.kind = SW_FATBIN_PTX, .arch = 120},
        {.kind = SW_FATBIN_PTX, .arch = 10, .module = 1},
    };
    sw_fatbin f = {entries, 7, 3};
    CHECK_EQ(sw_fatbin_choose(&f, 0, 90) - entries, 2);
    CHECK_EQ(sw_fatbin_choose(&f, 0, 89) - entries, 4);
    CHECK_EQ(sw_fatbin_choose(&f, 0, 13) - entries, 0);
    CHECK_EQ(sw_fatbin_choose(&f, 0, 999) - entries, 5);
    CHECK_EQ(sw_fatbin_choose(&f, 1, 90) - entries, 6);
    CHECK(sw_fatbin_choose(&f, 2, 90) == NULL);
}

CASE(options_names_and_variants)
{
    size_t n = 0;
    sw_arena *arena = sw_arena_create();
    sw_fatbin f;
    char *opts = read_exact(DATA "opts.fatbin", &n);
    CHECK_EQ(sw_fatbin_parse(arena, opts, n, &f, NULL), SW_OK);
    CHECK_EQ(f.count, 1);
    if (f.count) {
        CHECK(memmem(f.entries[0].options.p, f.entries[0].options.n,
                     "-maxrregcount=32", 16) != NULL);
        CHECK(sw_str_is(f.entries[0].ident, "k.cu"));
    }
    char *variants = read_exact(DATA "variants.fatbin", &n);
    CHECK_EQ(sw_fatbin_parse(arena, variants, n, &f, NULL), SW_OK);
    CHECK_EQ(f.count, 2);
    if (f.count == 2) {
        CHECK_EQ(f.entries[0].variant, 'a');
        CHECK_EQ(f.entries[0].arch, 90);
        CHECK_EQ(f.entries[1].variant, 'f');
        CHECK_EQ(f.entries[1].arch, 100);
    }
    char *debug = read_exact(DATA "debug.fatbin", &n);
    CHECK_EQ(sw_fatbin_parse(arena, debug, n, &f, NULL), SW_OK);
    CHECK_EQ(f.count, 1);
    if (f.count)
        CHECK(strstr(f.entries[0].data.p, ".section") != NULL);
    char *lto = read_exact(DATA "lto.fatbin", &n);
    CHECK_EQ(sw_fatbin_parse(arena, lto, n, &f, NULL), SW_OK);
    CHECK_EQ(count_kind(&f, SW_FATBIN_LTO), 1);
    CHECK(sw_fatbin_choose(&f, 0, 80) != NULL);
    sw_arena_destroy(arena);
    sw_free(opts);
    sw_free(variants);
    sw_free(debug);
    sw_free(lto);
}

CASE(machine_code_only_names_the_flag)
{
    static const char *const files[] = {DATA "sass.fatbin", DATA "sm80.cubin"};
    for (int i = 0; i < 2; i++) {
        size_t n = 0;
        char *bytes = read_exact(files[i], &n);
        sw_arena *arena = sw_arena_create();
        sw_diag diag;
        sw_vec images;
        sw_fatbin f;
        sw_diag_init(&diag);
        sw_vec_init(&images, sizeof(const sw_fatbin_entry *));
        CHECK_EQ(sw_fatbin_parse(arena, bytes, n, &f, &diag), SW_OK);
        CHECK_EQ(f.count, 1);
        CHECK_EQ(sw_fatbin_images(&f, 90, &images, &diag),
                 SW_E_NO_BINARY_FOR_GPU);
        CHECK(says(&diag, "-gencode arch=compute_80,code=compute_80"));
        CHECK_EQ(images.count, 0);
        sw_vec_finish(&images);
        sw_diag_finish(&diag);
        sw_arena_destroy(arena);
        sw_free(bytes);
    }
}

CASE(newer_and_older_cubins_tell_their_architecture)
{
    size_t n = 0;
    char *bytes = read_exact(DATA "sm90a.cubin", &n);
    sw_arena *arena = sw_arena_create();
    sw_fatbin f;
    CHECK_EQ(sw_fatbin_load(arena, bytes, &f, NULL), SW_OK);
    CHECK_EQ(f.count, 1);
    if (f.count) {
        CHECK_EQ(f.entries[0].arch, 90);
        CHECK_EQ(f.entries[0].data.n, n);
    }
    bytes[7] = 0x33; /* the edition before */
    bytes[48] = 70;
    CHECK_EQ(sw_fatbin_load(arena, bytes, &f, NULL), SW_OK);
    if (f.count)
        CHECK_EQ(f.entries[0].arch, 70);
    sw_arena_destroy(arena);
    sw_free(bytes);
}

static const char tiny[] = "// c\n.version 8.4\n.target sm_89\n"
                           ".visible .entry f() { ret; }\n";

CASE(text_with_and_without_an_end)
{
    sw_arena *arena = sw_arena_create();
    sw_fatbin f;
    char *exact = sw_alloc(sizeof tiny - 1);
    memcpy(exact, tiny, sizeof tiny - 1);
    CHECK_EQ(sw_fatbin_parse(arena, exact, sizeof tiny - 1, &f, NULL), SW_OK);
    CHECK_EQ(f.count, 1);
    CHECK_STR(f.entries[0].data.p, tiny);
    CHECK_EQ(f.entries[0].arch, 89);
    CHECK_EQ(f.entries[0].major, 8);
    CHECK_EQ(f.entries[0].minor, 4);
    CHECK_EQ(sw_fatbin_load(arena, tiny, &f, NULL), SW_OK);
    CHECK_EQ(f.entries[0].data.n, sizeof tiny - 1);
    sw_free(exact);
    sw_arena_destroy(arena);
}

typedef struct {
    uint32_t magic, version;
    const void *data;
    const void *list;
} wrapper;

CASE(wrappers_of_both_versions)
{
    static const char empty[16] = {0x50, (char)0xed, 0x55, (char)0xba,
                                   1,    0,          16,   0};
    size_t n = 0;
    char *one = read_exact(DATA "default.fatbin", &n);
    char *two = read_exact(DATA "opts.fatbin", &n);
    sw_arena *arena = sw_arena_create();
    sw_diag diag;
    sw_vec images;
    sw_fatbin f;
    sw_diag_init(&diag);
    sw_vec_init(&images, sizeof(const sw_fatbin_entry *));

    wrapper plain = {0x466243B1, 1, one, NULL};
    CHECK_EQ(sw_fatbin_load(arena, &plain, &f, &diag), SW_OK);
    CHECK_EQ(f.modules, 1);
    CHECK_EQ(f.count, 3);
    CHECK_EQ(sw_fatbin_images(&f, 90, &images, &diag), SW_OK);
    CHECK_EQ(images.count, 1);
    if (images.count)
        CHECK_EQ((*(sw_fatbin_entry **)images.data)->arch, 90);
    sw_vec_clear(&images);

    const void *list[] = {one, two, NULL};
    wrapper linked = {0x466243B1, 2, empty, list};
    CHECK_EQ(sw_fatbin_load(arena, &linked, &f, &diag), SW_OK);
    CHECK_EQ(f.modules, 3);
    CHECK_EQ(f.count, 4);
    CHECK_EQ(sw_fatbin_images(&f, 90, &images, &diag), SW_OK);
    CHECK_EQ(images.count, 2);

    wrapper nothing = {0x466243B1, 1, empty, NULL};
    CHECK_EQ(sw_fatbin_load(arena, &nothing, &f, &diag), SW_OK);
    CHECK_EQ(f.count, 0);
    sw_vec_clear(&images);
    CHECK_EQ(sw_fatbin_images(&f, 90, &images, &diag), SW_OK);
    CHECK_EQ(images.count, 0);

    wrapper later = {0x466243B1, 3, one, NULL};
    CHECK_EQ(sw_fatbin_load(arena, &later, &f, &diag), SW_E_INVALID_IMAGE);
    CHECK(says(&diag, "version 3"));
    CHECK_EQ(sw_fatbin_parse(arena, &later, sizeof later, &f, &diag),
             SW_E_INVALID_IMAGE);
    CHECK(says(&diag, "pointers"));
    wrapper wild = {0x466243B1, 1, tiny, NULL};
    CHECK_EQ(sw_fatbin_load(arena, &wild, &f, &diag), SW_E_INVALID_IMAGE);
    CHECK(says(&diag, "no fat binary"));

    sw_vec_finish(&images);
    sw_diag_finish(&diag);
    sw_arena_destroy(arena);
    sw_free(one);
    sw_free(two);
}

CASE(several_fat_binaries_are_modules)
{
    size_t n = 0, m = 0;
    char *one = read_exact(DATA "default.fatbin", &n);
    char *two = read_exact(DATA "opts.fatbin", &m);
    char *both = sw_alloc(n + 8 + m);
    sw_arena *arena = sw_arena_create();
    sw_fatbin f;
    memcpy(both, one, n);
    memcpy(both + n + 8, two, m);
    CHECK_EQ(sw_fatbin_parse(arena, both, n + 8 + m, &f, NULL), SW_OK);
    CHECK_EQ(f.modules, 2);
    CHECK_EQ(f.count, 4);
    CHECK(sw_fatbin_choose(&f, 1, 90) != NULL);
    sw_arena_destroy(arena);
    sw_free(one);
    sw_free(two);
    sw_free(both);
}

CASE(cut_off_at_every_byte)
{
    for (int i = 0; i < MODES; i++) {
        size_t n = 0;
        char *bytes = read_exact(modes[i], &n);
        unsigned accepted = 0;
        for (size_t k = 4; k < n; k++) {
            char *cut = sw_alloc(k);
            sw_arena *arena = sw_arena_create();
            sw_diag diag;
            sw_fatbin f = {0};
            sw_diag_init(&diag);
            memcpy(cut, bytes, k);
            accepted += sw_fatbin_parse(arena, cut, k, &f, &diag) == SW_OK;
            if (k == n - 1)
                CHECK(says(&diag, "cut off at byte"));
            sw_diag_finish(&diag);
            sw_arena_destroy(arena);
            sw_free(cut);
        }
        CHECK(n > 1000);
        CHECK_EQ(accepted, 0);
        sw_free(bytes);
    }
}

/* Any damage is an answer or an error, never a crash; the text still ends. */
CASE(flipped_bits_never_crash)
{
    uint64_t state = 88172645463325252u;
    static const char *const files[] = {DATA "size.fatbin",
                                        DATA "speedall.fatbin",
                                        DATA "opts.fatbin", DATA "sm80.cubin"};
    for (int i = 0; i < 4; i++) {
        size_t n = 0;
        char *bytes = read_exact(files[i], &n);
        unsigned refused = 0;
        for (int round = 0; round < 3000 && n; round++) {
            char *bad = sw_alloc(n);
            sw_arena *arena = sw_arena_create();
            sw_fatbin f;
            memcpy(bad, bytes, n);
            for (int k = 0; k < 1 + round % 4; k++) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                /* Every other one in the headers, where it matters most. */
                size_t span = round & 1 ? n : n < 200 ? n : 200;
                bad[state % span] ^= (char)(1 << (state >> 60 & 7));
            }
            if (sw_fatbin_parse(arena, bad, n, &f, NULL))
                refused++;
            for (uint32_t e = 0; e < f.count; e++) {
                sw_str text = f.entries[e].data, name;
                size_t pos = 0;
                if (f.entries[e].kind == SW_FATBIN_PTX && text.p[text.n])
                    CHECK_EQ(text.p[text.n], 0);
                while (sw_fatbin_next_kernel(text, &pos, &name))
                    ;
            }
            sw_arena_destroy(arena);
            sw_free(bad);
        }
        CHECK(refused > 100);
        sw_free(bytes);
    }
}

CASE(bad_compression_is_said)
{
    size_t n = 0;
    char *bytes = read_exact(DATA "size.fatbin", &n);
    sw_arena *arena = sw_arena_create();
    sw_diag diag;
    sw_fatbin f;
    sw_diag_init(&diag);
    bytes[16 + 0x50] ^= 1; /* the frame's magic */
    CHECK_EQ(sw_fatbin_parse(arena, bytes, n, &f, &diag), SW_E_INVALID_IMAGE);
    CHECK(says(&diag, "bad zstd compression in the entry at byte 16"));
    bytes[16 + 0x50] ^= 1;
    bytes[16 + 0x38 + 6] = 1; /* it would be 2^48 bytes */
    CHECK_EQ(sw_fatbin_parse(arena, bytes, n, &f, &diag), SW_E_INVALID_IMAGE);
    CHECK(says(&diag, "can't hold"));
    CHECK_EQ(f.count, 0);
    CHECK_EQ(sw_fatbin_parse(arena, "\1\2\3\4\5", 5, &f, &diag),
             SW_E_INVALID_IMAGE);
    CHECK(says(&diag, "01 02 03 04"));
    CHECK_EQ(sw_fatbin_parse(arena, "", 0, &f, &diag), SW_E_INVALID_IMAGE);
    sw_diag_finish(&diag);
    sw_arena_destroy(arena);
    sw_free(bytes);
}

CASE(what_is_written_reads_back)
{
    for (int compressed = 0; compressed < 2; compressed++) {
        size_t n = 0;
        char *text = read_exact(DATA "kernels.ptx", &n);
        sw_fatbin_input inputs[] = {
            {.ptx = {text, n},
             .ident = sw_str_of("kernels.cu"),
             .options = sw_str_of("-maxrregcount=32"),
             .debug = true,
             .compressed = compressed},
            {.ptx = sw_str_of(tiny), .arch = 61, .compressed = compressed},
        };
        sw_arena *arena = sw_arena_create();
        sw_buf out;
        sw_fatbin f;
        sw_buf_init(&out);
        CHECK_EQ(sw_fatbin_write(inputs, 2, &out, NULL), SW_OK);
        CHECK_EQ(out.n % 8, 0);
        CHECK_EQ(sw_fatbin_parse(arena, out.p, out.n, &f, NULL), SW_OK);
        CHECK_EQ(f.count, 2);
        if (f.count == 2) {
            CHECK(sw_str_eq(f.entries[0].data, inputs[0].ptx));
            CHECK(sw_str_is(f.entries[0].ident, "kernels.cu"));
            CHECK(sw_str_is(f.entries[0].options, "-maxrregcount=32"));
            CHECK_EQ(f.entries[0].arch, 75);
            CHECK_EQ(f.entries[0].flags & 2, 2);
            CHECK_EQ(f.entries[0].pack,
                     compressed ? SW_FATBIN_ZSTD : SW_FATBIN_STORED);
            CHECK_STR(f.entries[1].data.p, tiny);
            CHECK_EQ(f.entries[1].arch, 61);
            CHECK_EQ(f.entries[1].major, 8);
            CHECK_EQ(f.entries[1].options.n, 0);
        }
        CHECK_EQ(sw_fatbin_load(arena, out.p, &f, NULL), SW_OK);
        CHECK_EQ(f.count, 2);
        sw_buf_finish(&out);
        sw_arena_destroy(arena);
        sw_free(text);
    }
    sw_buf out;
    sw_buf_init(&out);
    sw_fatbin_input bad = {.ptx = sw_str_of("no target here")};
    CHECK_EQ(sw_fatbin_write(&bad, 1, &out, NULL), SW_E_INVAL);
    sw_buf_finish(&out);
}

CASE(kernels_are_found_outside_comments)
{
    sw_str text =
        sw_str_of("/* .entry no */ // .entry neither\n"
                  ".version 8.0 .target sm_100f, debug\n.file 1 \".entry x\"\n"
                  ".visible .entry /* c */ one(.param .u32 a) { }\n"
                  ".func two() {}\n.weak .entry $three { bra.entry; }\n.entry");
    size_t pos = 0;
    sw_str name;
    CHECK(sw_fatbin_next_kernel(text, &pos, &name));
    CHECK(sw_str_is(name, "one"));
    CHECK(sw_fatbin_next_kernel(text, &pos, &name));
    CHECK(sw_str_is(name, "$three"));
    CHECK(!sw_fatbin_next_kernel(text, &pos, &name));
    uint32_t major, minor, arch;
    char variant;
    sw_fatbin_scan_header(text, &major, &minor, &arch, &variant);
    CHECK_EQ(major, 8);
    CHECK_EQ(minor, 0);
    CHECK_EQ(arch, 100);
    CHECK_EQ(variant, 'f');
}
