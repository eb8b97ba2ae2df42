/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_debug_test.c - what debuggers and profilers are told of compiled code:
 * lines as addr2line sees them, a breakpoint in gdb, perf's files.
 */
#include <elf.h>
#include <sys/wait.h>

#include "check.h"
#include "jit/tier/debug.h"
#include "jit/tier/lines.h"
#include "jit_compile.h"

static const char *const compilers[] = {"cc", SW_CLANG};
static const char *const models[] = {"-g -O0 -fPIC", "-gdwarf-4 -O2 -fPIC",
                                     "-gdwarf-5 -O2 -fPIC -ffunction-sections"};

/* Line 5 computes. */
static const char source[] = "static const int factors[4] = {3, 5, 7, 11};\n"
                             "__attribute__((noinline)) static int\n"
                             "times(int x, int i)\n"
                             "{\n"
                             "    int y = x * factors[i & 3] + 1;\n"
                             "    return y;\n"
                             "}\n"
                             "int softwarp_kernel(int x)\n"
                             "{\n"
                             "    int sum = 0;\n"
                             "    for (int i = 0; i < 4; i++)\n"
                             "        sum += times(x, i);\n"
                             "    return sum;\n"
                             "}\n";

typedef struct {
    char *bytes;
    size_t size;
    sw_jit_object *object;
} loaded;

static loaded
load(const char *cc, const char *flags)
{
    loaded l = {0};
    l.bytes = compile(cc, flags, source, &l.size);
    if (l.bytes)
        sw_jit_object_load(l.bytes, l.size, NULL, 0, &l.object, NULL);
    CHECK(l.object != NULL);
    return l;
}

static void
unload(loaded *l)
{
    sw_jit_object_destroy(l->object);
    sw_free(l->bytes);
}

static bool
write_file(const char *path, const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(bytes, 1, n, f) == n;
    return (!f || !fclose(f)) && ok;
}

/* addr2line on the image says "PATH:LINE" of each address. */
static void
check_addresses(const char *image, const sw_vec *lines)
{
    char text[512];
    unsigned checked = 0;
    for (size_t i = 0; i + 1 < lines->count; i++) {
        const sw_jit_line *l = sw_vec_at(lines, i), *next = l + 1;
        if (l->is_end || next->address <= l->address || !l->line)
            continue;
        snprintf(text, sizeof text, "addr2line -e %s %llx", image,
                 (unsigned long long)l->address);
        FILE *f = popen(text, "r");
        CHECK(f && fgets(text, sizeof text, f));
        if (f)
            pclose(f);
        char want[256];
        snprintf(want, sizeof want, "%s%s%s:%u",
                 *l->file == '/' ? "" : compile_get_folder(),
                 *l->file == '/' ? "" : "/", l->file, (unsigned)l->line);
        text[strcspn(text, " \n")] = 0; /* without its discriminator */
        CHECK_STR(text, want);
        checked++;
    }
    CHECK(checked > 5);
}

static void
check_lines(const loaded *l, const uint8_t *image)
{
    size_t count = 0, in_kernel = 0, line_5 = 0;
    const sw_jit_function *functions =
        sw_jit_object_functions(l->object, &count);
    sw_arena *arena = sw_arena_create();
    char path[128], want[128];
    sw_vec lines;
    sw_jit_elf elf;
    sw_vec_init(&lines, sizeof(sw_jit_line));
    CHECK_EQ(sw_jit_elf_read(l->bytes, l->size, &elf, NULL), SW_OK);
    sw_jit_lines_read(&elf, image, arena, &lines);
    snprintf(want, sizeof want, "%s/t.c", compile_get_folder());
    CHECK_EQ(count, 2);
    for (size_t i = 0; i < lines.count; i++) {
        const sw_jit_line *line = sw_vec_at(&lines, i);
        if (line->is_end)
            continue;
        /* Before DWARF 5 another section has the compiler's folder. */
        if (strcmp(line->file, "t.c") != 0)
            CHECK_STR(line->file, want);
        for (size_t k = 0; k < count; k++) {
            uint64_t at = (uintptr_t)functions[k].address;
            if (line->address < at || line->address >= at + functions[k].bytes)
                continue;
            if (functions[k].is_global)
                in_kernel += line->line >= 8 && line->line <= 14;
            else
                line_5 += line->line == 5;
        }
    }
    CHECK(in_kernel > 2);
    CHECK(line_5 > 0);
    snprintf(path, sizeof path, "%s/image", compile_get_folder());
    CHECK(write_file(path, image, l->size));
    check_addresses(path, &lines);
    sw_jit_elf_finish(&elf);
    sw_vec_finish(&lines);
    sw_arena_destroy(arena);
}

CASE(lines_are_those_of_the_source)
{
    for (size_t c = 0; c < sizeof compilers / sizeof *compilers; c++) {
        if (!has_compiler(compilers[c])) {
            printf("skip: %s is not installed\n", compilers[c]);
            continue;
        }
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            loaded l = load(compilers[c], models[m]);
            uint8_t *image =
                l.object ? sw_jit_debug_image(l.object, l.bytes, l.size) : NULL;
            CHECK(image != NULL);
            if (image)
                check_lines(&l, image);
            sw_free(image);
            unload(&l);
        }
    }
}

CASE(damaged_debug_information_is_harmless)
{
    uint64_t state = 88172645463325252;
    loaded l = load("cc", "-g -O1 -fPIC");
    if (!l.object)
        return;
    sw_jit_elf elf;
    CHECK_EQ(sw_jit_elf_read(l.bytes, l.size, &elf, NULL), SW_OK);
    uint8_t *image = sw_jit_debug_image(l.object, l.bytes, l.size);
    uint8_t *damaged = sw_alloc(l.size);
    size_t kept = 0;
    for (int i = 0; i < 5000; i++) {
        memcpy(damaged, image, l.size);
        for (uint32_t s = 1; s < elf.section_count; s++) {
            const Elf64_Shdr *section = &elf.sections[s];
            const char *name = sw_jit_elf_section_name(&elf, s);
            if (strncmp(name, ".debug_line", 11) != 0 || !section->sh_size)
                continue;
            for (int k = 0; k < 3; k++) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                damaged[section->sh_offset + (state >> 8) % section->sh_size] =
                    (uint8_t)(state & 1 ? 0xff : state >> 50);
            }
        }
        sw_arena *arena = sw_arena_create();
        sw_vec lines;
        sw_vec_init(&lines, sizeof(sw_jit_line));
        sw_jit_lines_read(&elf, damaged, arena, &lines);
        kept += lines.count > 0;
        sw_vec_finish(&lines);
        sw_arena_destroy(arena);
    }
    CHECK(kept > 100 && kept < 5000);
    sw_free(damaged);
    sw_free(image);
    sw_jit_elf_finish(&elf);
    unload(&l);
}

/* Registers an object with SOFTWARP_PERF=how in another process (the variable
 * is read once, so not after a case that registers one here), and returns the
 * file /tmp/PREFIX-PID.SUFFIX (sw_free). */
static char *
perf_file(const loaded *l, const char *how, const char *prefix,
          const char *suffix, pid_t *pid, size_t *size)
{
    char path[128], *bytes = NULL;
    int status = 1;
    *pid = fork();
    if (!*pid) {
        setenv("SOFTWARP_PERF", how, 1);
        sw_jit_debug *debug =
            sw_jit_debug_register(l->object, l->bytes, l->size, "a kernel");
        sw_jit_debug_unregister(debug);
        _exit(debug ? 0 : 1);
    }
    CHECK_EQ(waitpid(*pid, &status, 0), *pid);
    CHECK_EQ(status, 0);
    snprintf(path, sizeof path, "/tmp/%s-%ld.%s", prefix, (long)*pid, suffix);
    CHECK_EQ(sw_file_read(path, &bytes, size), SW_OK);
    unlink(path);
    return bytes;
}

CASE(perf_map_names_functions)
{
    pid_t pid = 0;
    size_t size = 0, count = 0;
    loaded l = load("cc", "-g -O1 -fPIC");
    if (!l.object)
        return;
    char *text = perf_file(&l, "map", "perf", "map", &pid, &size), want[256];
    const sw_jit_function *f = sw_jit_object_functions(l.object, &count);
    CHECK_EQ(count, 2);
    snprintf(want, sizeof want, "%llx %llx a kernel\n%llx %llx times\n",
             (unsigned long long)(uintptr_t)f[0].address,
             (unsigned long long)f[0].bytes,
             (unsigned long long)(uintptr_t)f[1].address,
             (unsigned long long)f[1].bytes);
    CHECK_STR(text, want);
    sw_free(text);
    unload(&l);
}

/* Numbers of a record, by the offsets in jitdump-specification.txt. */
static uint64_t
at(const char *p, size_t offset, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, p + offset, bytes);
    return value;
}

/* The lines of one function; how many are of t.c. */
static unsigned
count_lines(const char *record, const sw_jit_function *f)
{
    unsigned good = 0;
    size_t offset = 32;
    for (uint64_t n = at(record, 24, 8); n > 0; n--) {
        uint64_t address = at(record, offset, 8);
        uint64_t line = at(record, offset + 8, 4);
        const char *file = record + offset + 16;
        good += address >= (uintptr_t)f->address &&
                address < (uintptr_t)f->address + f->bytes && line >= 1 &&
                line <= 14 && strstr(file, "/t.c");
        offset += 16 + strlen(file) + 1;
    }
    CHECK_EQ(offset, at(record, 4, 4));
    return good;
}

CASE(jitdump_has_code_and_lines)
{
    pid_t pid = 0;
    size_t size = 0, count = 0, loads = 0, infos = 0;
    loaded l = load("cc", "-g -O1 -fPIC");
    if (!l.object)
        return;
    char *dump = perf_file(&l, "jitdump", "jit", "dump", &pid, &size);
    const sw_jit_function *f = sw_jit_object_functions(l.object, &count);
    CHECK(dump && size > 40);
    if (!dump || size < 40)
        return;
    CHECK_EQ(at(dump, 0, 4), 0x4a695444);
    CHECK_EQ(at(dump, 4, 4), 1);
    CHECK_EQ(at(dump, 8, 4), 40);
    CHECK_EQ(at(dump, 12, 4), EM_X86_64);
    CHECK_EQ(at(dump, 20, 4), pid);
    for (size_t p = 40; p < size; p += at(dump, p + 4, 4)) {
        const char *r = dump + p;
        CHECK(at(r, 4, 4) >= 32 && at(r, 4, 4) <= size - p && loads < count);
        if (at(r, 4, 4) < 32 || loads >= count)
            break;
        if (at(r, 0, 4) == 2) {
            CHECK_EQ(at(r, 16, 8), (uintptr_t)f[loads].address);
            CHECK_EQ(count_lines(r, &f[loads]), at(r, 24, 8));
            CHECK(at(r, 24, 8) >= 3);
            infos++;
            continue;
        }
        const char *name = loads ? f[loads].name : "a kernel";
        CHECK_EQ(at(r, 0, 4), 0);
        CHECK_EQ(at(r, 16, 4), pid);
        CHECK_EQ(at(r, 24, 8), (uintptr_t)f[loads].address);
        CHECK_EQ(at(r, 32, 8), (uintptr_t)f[loads].address);
        CHECK_EQ(at(r, 40, 8), f[loads].bytes);
        CHECK_EQ(at(r, 48, 8), loads);
        CHECK_STR(r + 56, name);
        CHECK(!memcmp(r + 56 + strlen(name) + 1, f[loads].address,
                      f[loads].bytes));
        CHECK_EQ(at(r, 4, 4), 56 + strlen(name) + 1 + f[loads].bytes);
        loads++;
    }
    CHECK_EQ(loads, 2);
    CHECK_EQ(infos, 2);
    sw_free(dump);
    unload(&l);
}

/* Run under gdb by the next case. */
CASE(code_runs_while_registered)
{
    loaded l = load("cc", "-g -O0 -fPIC");
    loaded other = load("cc", "-O2 -fPIC");
    if (!l.object || !other.object)
        return;
    sw_jit_debug *debug =
        sw_jit_debug_register(l.object, l.bytes, l.size, "kernel");
    CHECK(debug != NULL);
    /* Without debug sections there is nothing to say, unless asked. */
    CHECK(!sw_jit_debug_register(other.object, other.bytes, other.size, NULL));
    setenv("SOFTWARP_GDB", "1", 1);
    sw_jit_debug *second =
        sw_jit_debug_register(other.object, other.bytes, other.size, NULL);
    unsetenv("SOFTWARP_GDB");
    CHECK(second != NULL);
    memset(l.bytes, 0, l.size); /* not needed any more */
    int (*fn)(int) =
        (int (*)(int))sw_jit_object_entry(l.object, "softwarp_kernel");
    CHECK_EQ(fn(10), 264);
    sw_jit_debug_unregister(debug);
    sw_jit_debug_unregister(second);
    sw_jit_debug_unregister(NULL);
    unload(&other);
    unload(&l);
}

CASE(gdb_stops_at_a_line)
{
    char command[1024], self[512] = "", line[512];
    CHECK(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    if (!has_compiler("gdb")) {
        printf("skip: gdb is not installed\n");
        return;
    }
    snprintf(command, sizeof command,
             "ASAN_OPTIONS=detect_leaks=0 gdb -nx -batch "
             "-ex 'set breakpoint pending on' -ex 'set startup-with-shell off' "
             "-ex 'set print address off' -ex 'break t.c:6' -ex run "
             "-ex backtrace -ex 'print y' -ex 'info line' -ex kill "
             "--args '%s' code_runs_while_registered 2>&1",
             self);
    FILE *f = popen(command, "r");
    bool stops = false, callers = false, value = false, runs = true;
    sw_buf all;
    sw_buf_init(&all);
    while (f && fgets(line, sizeof line, f)) {
        sw_buf_puts(&all, line);
        stops |= strstr(line, "Breakpoint 1, times (x=10, i=0) at ") &&
                 strstr(line, "/t.c:6");
        callers |= !strncmp(line, "#1  softwarp_kernel (x=10) at ", 30) &&
                   strstr(line, "/t.c:12");
        value |= !strcmp(line, "$1 = 31\n");
        runs &= !strstr(line, "ptrace: Operation not permitted") &&
                !strstr(line, "Couldn't get");
    }
    if (f)
        pclose(f);
    if (!runs) {
        printf("skip: gdb may not trace here\n");
    } else {
        CHECK(stops);
        CHECK(callers);
        CHECK(value);
        if (!stops || !callers || !value)
            printf("%s", all.p);
    }
    sw_buf_finish(&all);
}
