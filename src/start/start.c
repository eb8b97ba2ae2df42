/* SPDX-License-Identifier: Apache-2.0 */
/* start.c - what the dynamic linker calls (rtld-audit(7)); see start.h. */
#include <link.h>

#include "start/start.h"

enum { MOST = 4096, WHOLE_RUNTIME = 100 };

/* The linker's own declarations are for what an auditor defines. */
__attribute__((visibility("default"))) unsigned la_version(unsigned version);
__attribute__((visibility("default"))) char *
la_objsearch(const char *name, uintptr_t *cookie, unsigned flag);
__attribute__((visibility("default"))) unsigned
la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
__attribute__((visibility("default"))) unsigned la_objclose(uintptr_t *cookie);

/* Only the linker comes here, one thread at a time. */
static sw_start_entry entries[MOST];

/* Our folder is where this library was found. */
__attribute__((constructor)) static void
begin(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    for (; *environment; environment++) {
        const char *log = sw_start_after(*environment, "SOFTWARP_LOG=");
        const char *list = sw_start_after(*environment, "LD_AUDIT=");
        if (log)
            sw_start_set_level(log);
        while (list && *list) {
            size_t n = 0, slash = 0;
            for (; list[n] && list[n] != ':'; n++)
                slash = list[n] == '/' ? n : slash;
            const char *rest =
                sw_start_after(list + slash, "/libsoftwarp-start.so");
            if (slash && rest && (!*rest || *rest == ':'))
                sw_start_set_folder(list, slash);
            list += n + (list[n] == ':');
        }
    }
}

unsigned
la_version(unsigned version)
{
    return version; /* what is used here is in all of them */
}

char *
la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    (void)cookie;
    const char *ours = flag == LA_SER_ORIG ? sw_start_instead(name) : NULL;
    return (char *)(uintptr_t)(ours ? ours : name);
}

/* Libraries that come as machine code with a runtime inside. */
static bool
is_vendor_library(const char *name)
{
    static const char *const names[] = {
        "libcublas",   "libcudnn", "libcufft",     "libcurand", "libcusolver",
        "libcusparse", "libnccl",  "libnpp",       "libnvjpeg", "libcutensor",
        "libnvblas",   "libcudss", "libcusparseLt"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (sw_start_after(name, names[i]))
            return true;
    return false;
}

static void
say_why_not(const char *file)
{
    const char *base = sw_start_base_name(file);
    if (is_vendor_library(base))
        sw_start_say(1, base, " is machine code with a CUDA runtime inside: ",
                     "calls of it will fail; use a library that is compiled "
                     "from source, or keep this part on the host",
                     NULL);
    else
        sw_start_say(1, file, " has a CUDA runtime inside, and no symbols ",
                     "that say where (stripped): its calls will fail; link ",
                     "it without -s, or with nvcc -cudart shared", NULL);
}

/* Half a runtime is somebody's own functions of these names. */
static bool
is_runtime(const sw_start_scan_result *scan)
{
    bool registers = false;
    for (size_t i = 0; i < scan->count; i++)
        registers = registers ||
                    sw_start_same(sw_start_name_at(scan->entries[i].name)->name,
                                  "__cudaRegisterFatBinary");
    return registers || scan->count >= WHOLE_RUNTIME;
}

static sw_start_object *
redirect(const char *file, sw_start_scan_result *scan)
{
    sw_start_object *object = NULL;
    char digits[16], *number = digits + sizeof digits - 1;
    int done = sw_start_patch(scan, file, &object);
    if (done < 0) {
        sw_start_say(1, file, " has a CUDA runtime inside, and the system ",
                     "does not let it be changed; link it with nvcc ",
                     "-cudart shared", NULL);
        return NULL;
    }
    *number = 0;
    do
        *--number = (char)('0' + done % 10);
    while (done /= 10);
    sw_start_say(2, file, ": ", number,
                 " entry points of its own CUDA runtime go to ours", NULL);
    return object;
}

unsigned
la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    const char *name = map->l_name;
    *cookie = 0;
    if (space != LM_ID_BASE)
        return 0;
    const char *base = sw_start_base_name(name);
    if (sw_start_same(base, "libc.so.6") || sw_start_same(base, "libdl.so.2"))
        sw_start_see_libc(map->l_addr, map->l_ld);
    const char *folder = sw_start_folder();
    if (!*folder || (name[0] && sw_start_after(name, folder)) ||
        sw_start_after(base, "libc.so") || sw_start_after(base, "libm.so") ||
        sw_start_after(base, "ld-linux") || sw_start_after(base, "linux-vdso"))
        return 0;
    const char *file = name[0] ? name : "/proc/self/exe";
    size_t bytes;
    const unsigned char *image = sw_start_map_file(file, &bytes);
    if (!image)
        return 0;
    sw_start_scan_result scan = {.entries = entries, .room = MOST};
    if (!name[0])
        file = "the program";
    if (sw_start_scan(image, bytes, map->l_addr, &scan)) {
        if (is_runtime(&scan))
            *cookie = (uintptr_t)redirect(file, &scan);
        else if (scan.has_device_code && !scan.needs_runtime)
            say_why_not(file);
    }
    sw_start_unmap(image, bytes);
    return 0;
}

unsigned
la_objclose(uintptr_t *cookie)
{
    sw_start_forget((sw_start_object *)*cookie);
    *cookie = 0;
    return 0;
}
