/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug.c - see tier/debug.h. The interface to gdb is described in its manual
 * under "JIT Compilation Interface": a list of files in memory, and a function
 * that gdb stops in to look at the list again.
 */
#include "jit/tier/debug.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "jit/tier/elf.h"
#include "jit/tier/perf.h"

enum { ACTION_NONE, ACTION_REGISTER, ACTION_UNREGISTER };

struct sw_jit_debug {
    sw_jit_debug *next, *prev;
    const uint8_t *file;
    uint64_t file_bytes;
};

typedef struct {
    uint32_t version;
    uint32_t action;
    sw_jit_debug *relevant; /* of the action */
    sw_jit_debug *first;
} descriptor;

/* gdb finds both by these names, local or not. */
void __jit_debug_register_code(void);
extern descriptor __jit_debug_descriptor;

__attribute__((used)) descriptor __jit_debug_descriptor = {.version = 1};

__attribute__((used, noinline)) void
__jit_debug_register_code(void)
{
    /* gdb has a breakpoint here; not empty, or calls of it might go. */
    __asm__ volatile("" ::: "memory");
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */

/* ---- the image ---- */

typedef struct {
    const sw_jit_object *object;
    sw_jit_elf elf;
    uint8_t *image;
} imager;

static uint64_t
address_of_section(const imager *im, uint32_t section)
{
    return (uint64_t)(uintptr_t)sw_jit_object_section(im->object, section);
}

static uint64_t
address_of_symbol(const imager *im, uint32_t symbol)
{
    const Elf64_Sym *sym = &im->elf.symbols[symbol];
    uint64_t base = sym->st_shndx < im->elf.section_count
                        ? address_of_section(im, sym->st_shndx)
                        : 0;
    return base + sym->st_value;
}

/* Relocates what is not loaded, which is debug information. */
static bool
relocate(imager *im, uint32_t table)
{
    const Elf64_Shdr *target =
        &im->elf.sections[im->elf.sections[table].sh_info];
    uint64_t n = sw_jit_elf_relocation_count(&im->elf, table);
    for (uint64_t i = 0; i < n; i++) {
        Elf64_Rela rela = sw_jit_elf_relocation(&im->elf, table, i);
        uint32_t type = (uint32_t)ELF64_R_TYPE(rela.r_info);
        sw_jit_reloc r = {
            .symbol = address_of_symbol(im, (uint32_t)ELF64_R_SYM(rela.r_info)),
            .addend = (uint64_t)rela.r_addend,
            .place = rela.r_offset};
        if (sw_jit_reloc_needs_slot(type) ||
            (target->sh_flags & SHF_COMPRESSED) ||
            !sw_jit_reloc_apply(type, &r,
                                im->image + target->sh_offset + rela.r_offset))
            return false;
    }
    return true;
}

/* The tables say what is true now: an executable file, all of it placed. */
static void
write_tables(imager *im)
{
    Elf64_Ehdr h;
    memcpy(&h, im->elf.bytes, sizeof h);
    h.e_type = ET_EXEC;
    memcpy(im->image, &h, sizeof h);
    for (uint32_t i = 0; i < im->elf.section_count; i++) {
        Elf64_Shdr s = im->elf.sections[i];
        s.sh_addr = address_of_section(im, i);
        if (s.sh_type == SHT_RELA)
            s.sh_type = SHT_NULL; /* done */
        memcpy(im->image + h.e_shoff + i * sizeof s, &s, sizeof s);
        if (s.sh_type != SHT_SYMTAB)
            continue;
        for (uint32_t k = 0; k < im->elf.symbol_count; k++) {
            Elf64_Sym sym = im->elf.symbols[k];
            sym.st_value = address_of_symbol(im, k);
            memcpy(im->image + s.sh_offset + k * sizeof sym, &sym, sizeof sym);
        }
    }
}

uint8_t *
sw_jit_debug_image(const sw_jit_object *object, const void *bytes, size_t size)
{
    imager im = {.object = object};
    bool ok = !sw_jit_elf_read(bytes, size, &im.elf, NULL);
    if (!ok)
        goto out;
    im.image = sw_alloc(size);
    memcpy(im.image, bytes, size);
    for (uint32_t i = 0; i < im.elf.section_count; i++) {
        const uint8_t *code = sw_jit_object_section(object, i);
        const Elf64_Shdr *s = &im.elf.sections[i];
        if (code)
            memcpy(im.image + s->sh_offset, code, s->sh_size);
    }
    for (uint32_t i = 0; ok && i < im.elf.section_count; i++)
        if (sw_jit_elf_is_relocations(&im.elf, i) &&
            !sw_jit_object_section(object, im.elf.sections[i].sh_info))
            ok = relocate(&im, i);
    write_tables(&im);
out:
    sw_jit_elf_finish(&im.elf);
    if (!ok) {
        sw_free(im.image);
        return NULL;
    }
    return im.image;
}

/* ---- telling ---- */

static bool
has_debug_sections(const void *bytes, size_t size)
{
    sw_jit_elf elf;
    bool has = false;
    if (!sw_jit_elf_read(bytes, size, &elf, NULL))
        for (uint32_t i = 0; !has && i < elf.section_count; i++)
            has = !strcmp(sw_jit_elf_section_name(&elf, i), ".debug_info");
    sw_jit_elf_finish(&elf);
    return has;
}

static sw_jit_debug *
tell_gdb(uint8_t *image, size_t size)
{
    sw_jit_debug *debug = sw_alloc(sizeof *debug);
    debug->file = image;
    debug->file_bytes = size;
    pthread_mutex_lock(&lock);
    debug->next = __jit_debug_descriptor.first;
    if (debug->next)
        debug->next->prev = debug;
    __jit_debug_descriptor.first = debug;
    __jit_debug_descriptor.relevant = debug;
    __jit_debug_descriptor.action = ACTION_REGISTER;
    __jit_debug_register_code();
    __jit_debug_descriptor.action = ACTION_NONE;
    pthread_mutex_unlock(&lock);
    return debug;
}

sw_jit_debug *
sw_jit_debug_register(const sw_jit_object *object, const void *bytes,
                      size_t size, const char *name)
{
    bool has_lines = has_debug_sections(bytes, size);
    bool for_gdb = has_lines || sw_setting_is(SW_SETTING_GDB, "1");
    uint8_t *image = NULL;
    if (for_gdb)
        image = sw_jit_debug_image(object, bytes, size);
    sw_jit_perf_tell(object, bytes, size, has_lines ? image : NULL, name);
    return image ? tell_gdb(image, size) : NULL;
}

void
sw_jit_debug_unregister(sw_jit_debug *debug)
{
    if (!debug)
        return;
    pthread_mutex_lock(&lock);
    if (debug->prev)
        debug->prev->next = debug->next;
    else
        __jit_debug_descriptor.first = debug->next;
    if (debug->next)
        debug->next->prev = debug->prev;
    __jit_debug_descriptor.relevant = debug;
    __jit_debug_descriptor.action = ACTION_UNREGISTER;
    __jit_debug_register_code();
    __jit_debug_descriptor.action = ACTION_NONE;
    pthread_mutex_unlock(&lock);
    sw_free((void *)debug->file);
    sw_free(debug);
}
