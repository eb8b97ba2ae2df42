/* SPDX-License-Identifier: Apache-2.0 */
/*
 * open.c - see start.h: our libraries in the program's namespace.
 *
 * They are loaded by the program's own C library, whose functions are found
 * among its symbols, since this library has none of it.
 */
#include <elf.h>

#include "start/start.h"

enum { PATH = 4096, NOW = 2, BASE_NAMESPACE = 0, GENERATIONS = 3 };

typedef void *open_function(long space, const char *path, int flags);
typedef void *find_function(void *library, const char *name);
typedef char *error_function(void);

static char folder[PATH];
static size_t folder_bytes;
static struct {
    open_function *open;
    find_function *find;
    error_function *error;
} libc;
static void *libraries[GENERATIONS]; /* CUDA 11, 12, 13 */
static bool failed[GENERATIONS];

static const char *const files[GENERATIONS] = {
    "libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"};

void
sw_start_set_folder(const char *path, size_t bytes)
{
    for (folder_bytes = 0; folder_bytes < bytes && folder_bytes < PATH - 64;
         folder_bytes++)
        folder[folder_bytes] = path[folder_bytes];
}

const char *
sw_start_folder(void)
{
    folder[folder_bytes] = 0;
    return folder;
}

/* folder/file, until the next call of the same thread of the linker. */
static const char *
path_of(const char *file, char *out)
{
    size_t n = 0;
    for (; n < folder_bytes; n++)
        out[n] = folder[n];
    out[n++] = '/';
    while (*file && n < PATH - 1)
        out[n++] = *file++;
    out[n] = 0;
    return out;
}

/* ---- the program's C library ---- */

/* The number of symbols, from the chains of the GNU hash table. */
static uint32_t
count_symbols(const uint32_t *hash)
{
    uint32_t buckets = hash[0], first = hash[1], words = hash[2], last = 0;
    const uint32_t *bucket = hash + 4 + words * 2;
    const uint32_t *chain = bucket + buckets;
    for (uint32_t i = 0; i < buckets; i++)
        last = bucket[i] > last ? bucket[i] : last;
    if (last < first)
        return 0;
    while (!(chain[last - first] & 1))
        last++;
    return last + 1;
}

void
sw_start_see_libc(uintptr_t bias, const void *dynamic)
{
    const Elf64_Sym *symbols = NULL;
    const char *names = NULL;
    const uint32_t *hash = NULL;
    for (const Elf64_Dyn *d = dynamic; d->d_tag != DT_NULL; d++) {
        /* The linker adds the bias itself, but later than now. */
        uintptr_t at =
            d->d_un.d_ptr < bias ? bias + d->d_un.d_ptr : d->d_un.d_ptr;
        if (d->d_tag == DT_SYMTAB)
            symbols = (const Elf64_Sym *)at;
        else if (d->d_tag == DT_STRTAB)
            names = (const char *)at;
        else if (d->d_tag == DT_GNU_HASH)
            hash = (const uint32_t *)at;
    }
    if (!symbols || !names || !hash)
        return;
    uint32_t count = count_symbols(hash);
    for (uint32_t i = 0; i < count; i++) {
        const Elf64_Sym *s = &symbols[i];
        const char *name = names + s->st_name;
        uintptr_t at = bias + s->st_value;
        if (s->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(s->st_info) != STT_FUNC ||
            name[0] != 'd' || name[1] != 'l')
            continue;
        if (sw_start_same(name, "dlmopen"))
            libc.open = (open_function *)at;
        else if (sw_start_same(name, "dlsym"))
            libc.find = (find_function *)at;
        else if (sw_start_same(name, "dlerror"))
            libc.error = (error_function *)at;
    }
}

/* ---- our libraries ---- */

static void *
library(unsigned generation)
{
    char path[PATH];
    void *known = __atomic_load_n(&libraries[generation], __ATOMIC_ACQUIRE);
    if (known || failed[generation])
        return known;
    known =
        libc.open && libc.find
            ? libc.open(BASE_NAMESPACE, path_of(files[generation], path), NOW)
            : NULL;
    if (!known) {
        const char *why = libc.open && libc.error ? libc.error() : NULL;
        failed[generation] = true;
        sw_start_say(0, "the program's CUDA runtime cannot be replaced: ",
                     why ? why : "it has no dynamic C library", NULL);
    }
    __atomic_store_n(&libraries[generation], known, __ATOMIC_RELEASE);
    return known;
}

uintptr_t
sw_start_function(unsigned major, const char *name)
{
    void *from = library(major - 11);
    void *to = from ? libc.find(from, name) : NULL;
    if (from && !to)
        sw_start_say(1, name, " is not supported: it returns ",
                     "cudaErrorNotSupported; `softwarp support ", name,
                     "` says what to do instead", NULL);
    return (uintptr_t)to;
}

const char *
sw_start_instead(const char *name)
{
    static const char *const ours[] = {
        "libcuda.so.1",     "libcuda.so",      "libcudart.so",
        "libcudart.so.12",  "libcudart.so.13", "libcudart.so.11.0",
        "libsoftwarp.so.0",
#define LIBRARY(folder, soname, versions, name) #soname, name,
#define COMPILER(folder, soname, versions, name)
#include "lib/libraries.def"
#undef COMPILER
#undef LIBRARY
    };
    static char path[PATH];
    const char *base = sw_start_base_name(name);
    if (!folder_bytes)
        return NULL;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (*ours[i] && sw_start_same(base, ours[i]))
            return path_of(ours[i], path);
    return NULL;
}
