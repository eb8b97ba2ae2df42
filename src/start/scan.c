/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - see start.h: the entry points among the symbols of a file. The
 * bytes may be anything: every offset is checked. */
#include <elf.h>

#include "start/start.h"

enum { ADDRESS_BITS = 47 };

typedef struct {
    const unsigned char *p;
    size_t n;
    const Elf64_Ehdr *header;
} file;

/* `count` things of `bytes` at `offset` of the file, or NULL. */
static const void *
part(const file *f, uint64_t offset, uint64_t count, uint64_t bytes)
{
    if (offset > f->n || (count && (f->n - offset) / bytes < count) ||
        offset % 8)
        return NULL;
    return f->p + offset;
}

static const Elf64_Shdr *
section_at(const file *f, uint32_t i)
{
    const Elf64_Ehdr *h = f->header;
    const Elf64_Shdr *all = part(f, h->e_shoff, h->e_shnum, sizeof *all);
    return all && h->e_shentsize == sizeof *all && i < h->e_shnum ? all + i
                                                                  : NULL;
}

/* A text of the file, that ends in it; "" otherwise. */
static const char *
text_at(const file *f, const Elf64_Shdr *table, uint64_t offset)
{
    if (!table || table->sh_type != SHT_STRTAB || table->sh_offset > f->n ||
        f->n - table->sh_offset < table->sh_size || offset >= table->sh_size ||
        f->p[table->sh_offset + table->sh_size - 1])
        return "";
    return (const char *)f->p + table->sh_offset + offset;
}

static bool
read_text(const file *f, uintptr_t bias, sw_start_scan_result *out)
{
    const Elf64_Ehdr *h = f->header;
    const Elf64_Phdr *all = part(f, h->e_phoff, h->e_phnum, sizeof *all);
    uintptr_t begin = UINTPTR_MAX, end = 0;
    bool same = false;
    for (uint32_t i = 0; all && i < h->e_phnum; i++) {
        const Elf64_Phdr *p = all + i;
        if (p->p_type != PT_LOAD || p->p_vaddr >> ADDRESS_BITS)
            continue;
        uintptr_t at = bias + p->p_vaddr;
        if (p->p_offset == 0 && p->p_filesz >= sizeof *h) {
            /* What is mapped begins as the file does, or it is another. */
            const unsigned char *loaded = (const unsigned char *)at;
            same = true;
            for (size_t k = 0; k < sizeof *h; k++)
                same = same && loaded[k] == f->p[k];
        }
        if (!(p->p_flags & PF_X))
            continue;
        begin = at < begin ? at : begin;
        end = at + p->p_filesz > end ? at + p->p_filesz : end;
    }
    out->text = begin;
    out->text_bytes = end > begin ? end - begin : 0;
    return same && out->text_bytes;
}

/* cmpq $0, slot; je; jmp *slot: one that forwards to a library, which the file
 * opens when it is first called. */
static bool
is_forwarder(const sw_start_scan_result *out, uintptr_t address)
{
    const unsigned char *p = (const unsigned char *)address;
    return out->text + out->text_bytes - address > 11 && p[0] == 0x48 &&
           p[1] == 0x83 && p[2] == 0x3d && !p[7] && p[8] == 0x74 &&
           p[10] == 0xff && p[11] == 0x25;
}

static void
add_symbols(const file *f, const Elf64_Shdr *table, uintptr_t bias,
            sw_start_scan_result *out)
{
    const Elf64_Shdr *names = section_at(f, table->sh_link);
    uint64_t count = table->sh_size / sizeof(Elf64_Sym);
    const Elf64_Sym *s = part(f, table->sh_offset, count, sizeof(Elf64_Sym));
    if (!s || !names)
        return;
    for (; count--; s++) {
        unsigned type = ELF64_ST_TYPE(s->st_info);
        const char *name = text_at(f, names, s->st_name);
        if (s->st_shndx >= SHN_LORESERVE ||
            (type != STT_FUNC && type != STT_NOTYPE) ||
            !sw_start_after(name[0] == '_' && name[1] == '_' ? name + 2 : name,
                            "cuda"))
            continue;
        int at = sw_start_find_name(name, names->sh_size - s->st_name);
        if (s->st_shndx == SHN_UNDEF) {
            out->needs_runtime |= at >= 0;
            continue;
        }
        uintptr_t address = bias + s->st_value;
        bool known = at < 0 || address < out->text ||
                     address - out->text >= out->text_bytes;
        for (size_t i = 0; i < out->count && !known; i++)
            known = out->entries[i].address == address;
        if (!known && is_forwarder(out, address))
            known = out->needs_runtime = true;
        if (!known && out->count < out->room)
            out->entries[out->count++] = (sw_start_entry){
                address,
                s->st_size < UINT32_MAX ? (uint32_t)s->st_size : UINT32_MAX,
                (uint16_t)at, 0};
    }
}

static void
read_needed(const file *f, const Elf64_Shdr *table, sw_start_scan_result *out)
{
    const Elf64_Shdr *names = section_at(f, table->sh_link);
    uint64_t count = table->sh_size / sizeof(Elf64_Dyn);
    const Elf64_Dyn *d = part(f, table->sh_offset, count, sizeof *d);
    for (; d && count-- && d->d_tag != DT_NULL; d++) {
        const char *name = text_at(f, names, d->d_un.d_val);
        if (d->d_tag == DT_NEEDED && sw_start_after(name, "libcudart.so"))
            out->needs_runtime = true;
    }
}

bool
sw_start_scan(const unsigned char *bytes, size_t n, uintptr_t bias,
              sw_start_scan_result *out)
{
    file f = {bytes, n, (const Elf64_Ehdr *)bytes};
    if (n < sizeof *f.header || f.header->e_ident[EI_MAG0] != ELFMAG0 ||
        f.header->e_ident[EI_MAG1] != ELFMAG1 ||
        f.header->e_ident[EI_MAG2] != ELFMAG2 ||
        f.header->e_ident[EI_MAG3] != ELFMAG3 ||
        f.header->e_ident[EI_CLASS] != ELFCLASS64 ||
        f.header->e_machine != EM_X86_64 || !read_text(&f, bias, out))
        return false;
    const Elf64_Shdr *names = section_at(&f, f.header->e_shstrndx);
    for (uint32_t i = 0; i < f.header->e_shnum; i++) {
        const Elf64_Shdr *s = section_at(&f, i);
        if (!s)
            break;
        if (s->sh_type == SHT_SYMTAB || s->sh_type == SHT_DYNSYM)
            add_symbols(&f, s, bias, out);
        else if (s->sh_type == SHT_DYNAMIC)
            read_needed(&f, s, out);
        else if (sw_start_same(text_at(&f, names, s->sh_name), ".nv_fatbin"))
            out->has_device_code = s->sh_size > 0;
    }
    return true;
}
