/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object.c - see tier/object.h. The mapping has two parts, each of whole pages:
 * code that runs, then what is only read:
 *
 *     executable sections | stubs || global offset table | other sections
 *
 * A call of an external goes through a stub, a jump by a pointer, since the
 * function may be further away than a call reaches.
 */
#include "jit/tier/object.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jit/tier/elf.h"

enum { STUB_BYTES = 16, SLOT_BYTES = 8, MAX_ALIGN = 4096 };
static const uint64_t NOT_LOADED = UINT64_MAX;

struct sw_jit_object {
    uint8_t *code;
    size_t bytes;
    sw_arena *arena;   /* names and the two tables */
    uint64_t *offsets; /* by section, from `code`, or NOT_LOADED */
    uint32_t section_count;
    sw_jit_function *functions;
    size_t function_count;
    size_t global_count; /* the first of them are global */
};

/* What the code needs of a symbol. */
typedef struct {
    bool is_used;
    uint64_t address; /* S */
    uint32_t slot;    /* 1-based; 0: none */
    uint32_t stub;
} symbol_use;

typedef struct {
    sw_jit_elf elf;
    const sw_jit_external *externals;
    size_t external_count;
    sw_diag *diag;
    sw_jit_object *object;
    symbol_use *uses; /* by symbol */
    uint32_t slot_count, stub_count;
    uint64_t stubs, rest, got; /* offsets in the mapping */
    bool is_low;               /* has addresses of 32 bits */
} linker;

static sw_status
refuse(const linker *ln, sw_status status, const char *what, const char *name)
{
    sw_diag_add(ln->diag, SW_DIAG_ERROR, "", 0, 0, "compiled code: %s '%s'",
                what, name);
    return status;
}

/* ---- what is needed ---- */

static bool
is_code(const linker *ln, uint32_t section)
{
    return (ln->elf.sections[section].sh_flags & SHF_EXECINSTR) != 0;
}

static sw_status
check_section(const linker *ln, uint32_t i)
{
    const Elf64_Shdr *s = &ln->elf.sections[i];
    const char *name = sw_jit_elf_section_name(&ln->elf, i);
    if (s->sh_flags & SHF_TLS)
        return refuse(ln, SW_E_NOT_SUPPORTED, "thread-local section", name);
    /* Constants with addresses in them count as written until relocated. */
    if ((s->sh_flags & SHF_WRITE) &&
        !sw_str_has_prefix(sw_str_of(name), ".data.rel.ro") &&
        !sw_str_has_prefix(sw_str_of(name), ".ldata.rel.ro"))
        return refuse(ln, SW_E_NOT_SUPPORTED, "section that is written", name);
    if (s->sh_type == SHT_NOBITS)
        return refuse(ln, SW_E_NOT_SUPPORTED, "section without contents", name);
    if (s->sh_addralign > MAX_ALIGN)
        return refuse(ln, SW_E_NOT_SUPPORTED, "alignment of section", name);
    return SW_OK;
}

static sw_jit_code *
find_external(const linker *ln, const char *name)
{
    for (size_t i = 0; i < ln->external_count; i++)
        if (!strcmp(ln->externals[i].name, name))
            return ln->externals[i].address;
    return NULL;
}

static bool
is_table(const linker *ln, uint32_t symbol)
{
    return ln->elf.symbols[symbol].st_shndx == SHN_UNDEF &&
           !strcmp(sw_jit_elf_symbol_name(&ln->elf, symbol),
                   "_GLOBAL_OFFSET_TABLE_");
}

static sw_status
check_symbol(linker *ln, uint32_t i)
{
    const Elf64_Sym *sym = &ln->elf.symbols[i];
    const char *name = sw_jit_elf_symbol_name(&ln->elf, i);
    unsigned type = ELF64_ST_TYPE(sym->st_info);
    if (type == STT_GNU_IFUNC || type == STT_TLS || type == STT_COMMON ||
        sym->st_shndx == SHN_COMMON)
        return refuse(ln, SW_E_NOT_SUPPORTED, "kind of symbol", name);
    if (sym->st_shndx == SHN_UNDEF) {
        if (i == 0 || is_table(ln, i))
            return SW_OK;
        ln->uses[i].address = (uint64_t)(uintptr_t)find_external(ln, name);
        if (!ln->uses[i].address)
            return refuse(ln, SW_E_SHARED_OBJECT_SYMBOL_NOT_FOUND,
                          "needs the unknown symbol", name);
    } else if (sym->st_shndx != SHN_ABS &&
               !sw_jit_elf_is_loaded(&ln->elf, sym->st_shndx)) {
        return refuse(ln, SW_E_INVALID_IMAGE, "not in memory: symbol", name);
    }
    return SW_OK;
}

/* Counts what the relocations of one section of code or constants need. */
static sw_status
scan_relocations(linker *ln, uint32_t table)
{
    uint64_t n = sw_jit_elf_relocation_count(&ln->elf, table);
    for (uint64_t i = 0; i < n; i++) {
        Elf64_Rela r = sw_jit_elf_relocation(&ln->elf, table, i);
        uint32_t type = (uint32_t)ELF64_R_TYPE(r.r_info);
        uint32_t symbol = (uint32_t)ELF64_R_SYM(r.r_info);
        symbol_use *use = &ln->uses[symbol];
        if (type == R_X86_64_NONE)
            continue;
        if (!sw_jit_reloc_bytes(type)) {
            sw_diag_add(ln->diag, SW_DIAG_ERROR, "", 0, 0,
                        "compiled code: relocation of type %u", type);
            return SW_E_NOT_SUPPORTED;
        }
        if (!use->is_used) {
            sw_status status = check_symbol(ln, symbol);
            if (status)
                return status;
            use->is_used = true;
        }
        if (sw_jit_reloc_needs_slot(type) && !use->slot)
            use->slot = ++ln->slot_count;
        if (ln->elf.symbols[symbol].st_shndx == SHN_UNDEF && symbol != 0 &&
            !is_table(ln, symbol) && !use->stub)
            use->stub = ++ln->stub_count;
        ln->is_low |= type == R_X86_64_32 || type == R_X86_64_32S;
    }
    return SW_OK;
}

static bool
is_linked(const linker *ln, uint32_t table)
{
    return sw_jit_elf_is_relocations(&ln->elf, table) &&
           sw_jit_elf_is_loaded(&ln->elf, ln->elf.sections[table].sh_info);
}

static sw_status
scan(linker *ln)
{
    sw_status status = SW_OK;
    uint64_t bytes = 0;
    for (uint32_t i = 0; !status && i < ln->elf.section_count; i++)
        if (sw_jit_elf_is_loaded(&ln->elf, i)) {
            status = check_section(ln, i);
            bytes += ln->elf.sections[i].sh_size;
        }
    if (!status && bytes > ln->elf.size)
        return refuse(ln, SW_E_INVALID_IMAGE, "sections overlap in", "object");
    for (uint32_t i = 0; !status && i < ln->elf.section_count; i++)
        if (is_linked(ln, i))
            status = scan_relocations(ln, i);
    return status;
}

/* ---- where it goes ---- */

static uint64_t
round_up(uint64_t value, uint64_t align)
{
    return align > 1 ? (value + align - 1) & ~(align - 1) : value;
}

/* Offsets for the sections that are (or are not) code, from `at` on. */
static uint64_t
place_sections(linker *ln, bool code, uint64_t at)
{
    for (uint32_t i = 0; i < ln->elf.section_count; i++) {
        if (!sw_jit_elf_is_loaded(&ln->elf, i) || is_code(ln, i) != code)
            continue;
        at = round_up(at, ln->elf.sections[i].sh_addralign);
        ln->object->offsets[i] = at;
        at += ln->elf.sections[i].sh_size;
    }
    return at;
}

static sw_status
place(linker *ln)
{
    sw_jit_object *o = ln->object;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    page = page < MAX_ALIGN ? MAX_ALIGN : page;
    o->section_count = ln->elf.section_count;
    o->offsets =
        sw_arena_alloc(o->arena, o->section_count * sizeof *o->offsets);
    for (uint32_t i = 0; i < o->section_count; i++)
        o->offsets[i] = NOT_LOADED;
    ln->stubs = round_up(place_sections(ln, true, 0), STUB_BYTES);
    ln->rest = round_up(ln->stubs + ln->stub_count * STUB_BYTES, page);
    ln->got = ln->rest;
    uint64_t end =
        place_sections(ln, false, ln->got + ln->slot_count * SLOT_BYTES);
    o->bytes = (size_t)round_up(end ? end : 1, page);
    void *p =
        mmap(NULL, o->bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | (ln->is_low ? MAP_32BIT : 0), -1, 0);
    if (p == MAP_FAILED)
        return refuse(ln, SW_E_NOMEM, "no memory for", "object");
    o->code = p;
    return SW_OK;
}

/* ---- contents ---- */

static uint64_t
address_of(const linker *ln, uint64_t offset)
{
    return (uint64_t)(uintptr_t)ln->object->code + offset;
}

/* Final addresses of the symbols that are used; the table and the stubs. */
static void
resolve(linker *ln)
{
    uint8_t *code = ln->object->code;
    for (uint32_t i = 0; i < ln->elf.symbol_count; i++) {
        symbol_use *use = &ln->uses[i];
        const Elf64_Sym *sym = &ln->elf.symbols[i];
        if (!use->is_used)
            continue;
        if (is_table(ln, i))
            use->address = address_of(ln, ln->got);
        else if (sym->st_shndx == SHN_ABS)
            use->address = sym->st_value;
        else if (sym->st_shndx != SHN_UNDEF)
            use->address = address_of(ln, ln->object->offsets[sym->st_shndx]) +
                           sym->st_value;
        if (use->slot)
            memcpy(code + ln->got + (use->slot - 1) * SLOT_BYTES, &use->address,
                   SLOT_BYTES);
        if (use->stub) {
            /* jmp *2(%rip); ud2; the address */
            static const uint8_t jump[8] = {0xff, 0x25, 2, 0, 0, 0, 0x0f, 0x0b};
            uint8_t *stub = code + ln->stubs + (use->stub - 1) * STUB_BYTES;
            memcpy(stub, jump, sizeof jump);
            memcpy(stub + sizeof jump, &use->address, 8);
        }
    }
}

static bool
is_call(uint32_t type)
{
    return type == R_X86_64_PLT32 || type == R_X86_64_PC32 ||
           type == R_X86_64_PLTOFF64;
}

static sw_status
relocate(linker *ln, uint32_t table)
{
    const Elf64_Shdr *target = &ln->elf.sections[table];
    uint64_t base = ln->object->offsets[target->sh_info];
    uint64_t n = sw_jit_elf_relocation_count(&ln->elf, table);
    for (uint64_t i = 0; i < n; i++) {
        Elf64_Rela rela = sw_jit_elf_relocation(&ln->elf, table, i);
        uint32_t type = (uint32_t)ELF64_R_TYPE(rela.r_info);
        uint32_t symbol = (uint32_t)ELF64_R_SYM(rela.r_info);
        const symbol_use *use = &ln->uses[symbol];
        uint64_t at = base + rela.r_offset;
        sw_jit_reloc r = {.symbol = use->address,
                          .addend = (uint64_t)rela.r_addend,
                          .place = address_of(ln, at),
                          .got = address_of(ln, ln->got)};
        if (use->slot)
            r.got_slot = r.got + (use->slot - 1) * SLOT_BYTES;
        if (use->stub && is_call(type))
            r.symbol = address_of(ln, ln->stubs + (use->stub - 1) * STUB_BYTES);
        if (!sw_jit_reloc_apply(type, &r, ln->object->code + at)) {
            sw_diag_add(ln->diag, SW_DIAG_ERROR, "", 0, 0,
                        "compiled code: %s against '%s' is out of range",
                        sw_jit_reloc_name(type),
                        sw_jit_elf_symbol_name(&ln->elf, symbol));
            return SW_E_INVALID_IMAGE;
        }
    }
    return SW_OK;
}

static sw_status
fill(linker *ln)
{
    sw_jit_object *o = ln->object;
    for (uint32_t i = 0; i < ln->elf.section_count; i++)
        if (o->offsets[i] != NOT_LOADED)
            memcpy(o->code + o->offsets[i],
                   ln->elf.bytes + ln->elf.sections[i].sh_offset,
                   ln->elf.sections[i].sh_size);
    resolve(ln);
    for (uint32_t i = 0; i < ln->elf.section_count; i++) {
        sw_status status = is_linked(ln, i) ? relocate(ln, i) : SW_OK;
        if (status)
            return status;
    }
    if ((ln->rest && mprotect(o->code, ln->rest, PROT_READ | PROT_EXEC)) ||
        (o->bytes > ln->rest &&
         mprotect(o->code + ln->rest, o->bytes - ln->rest, PROT_READ)))
        return refuse(ln, SW_E_OPERATING_SYSTEM,
                      "the system does not let run an", "object");
    return SW_OK;
}

/* ---- functions ---- */

static sw_status
list_functions(linker *ln, bool global, sw_vec *list)
{
    for (uint32_t i = 1; i < ln->elf.symbol_count; i++) {
        const Elf64_Sym *sym = &ln->elf.symbols[i];
        if (ELF64_ST_TYPE(sym->st_info) != STT_FUNC ||
            sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE ||
            (ELF64_ST_BIND(sym->st_info) != STB_LOCAL) != global)
            continue;
        const char *name = sw_jit_elf_symbol_name(&ln->elf, i);
        const Elf64_Shdr *s = &ln->elf.sections[sym->st_shndx];
        if (ln->object->offsets[sym->st_shndx] == NOT_LOADED ||
            !is_code(ln, sym->st_shndx))
            continue;
        if (sym->st_value > s->sh_size ||
            sym->st_size > s->sh_size - sym->st_value)
            return refuse(ln, SW_E_INVALID_IMAGE, "not in its code: function",
                          name);
        sw_jit_function *f = sw_vec_push(list);
        f->name = sw_arena_str(ln->object->arena, sw_str_of(name));
        f->address = ln->object->code + ln->object->offsets[sym->st_shndx] +
                     sym->st_value;
        f->bytes = sym->st_size;
        f->is_global = global;
    }
    return SW_OK;
}

static sw_status
find_functions(linker *ln)
{
    sw_jit_object *o = ln->object;
    sw_vec list;
    sw_vec_init(&list, sizeof(sw_jit_function));
    sw_status status = list_functions(ln, true, &list);
    o->global_count = list.count;
    if (!status)
        status = list_functions(ln, false, &list);
    o->function_count = list.count;
    o->functions = sw_vec_to_arena(&list, o->arena);
    sw_vec_finish(&list);
    return status;
}

sw_status
sw_jit_object_load(const void *bytes, size_t size,
                   const sw_jit_external *externals, size_t external_count,
                   sw_jit_object **out, sw_diag *diag)
{
    linker ln = {
        .externals = externals, .external_count = external_count, .diag = diag};
    *out = NULL;
    ln.object = sw_alloc(sizeof *ln.object);
    ln.object->arena = sw_arena_create();
    sw_status status = sw_jit_elf_read(bytes, size, &ln.elf, diag);
    if (status)
        goto out;
#ifndef __x86_64__
    status = refuse(&ln, SW_E_NOT_SUPPORTED, "is not for this", "processor");
    goto out;
#endif
    ln.uses = sw_alloc(ln.elf.symbol_count * sizeof *ln.uses);
    if ((status = scan(&ln)) || (status = place(&ln)) || (status = fill(&ln)) ||
        (status = find_functions(&ln)))
        goto out;
    *out = ln.object;
    ln.object = NULL;
out:
    sw_free(ln.uses);
    sw_jit_elf_finish(&ln.elf);
    sw_jit_object_destroy(ln.object);
    return status;
}

void
sw_jit_object_destroy(sw_jit_object *object)
{
    if (!object)
        return;
    if (object->code)
        munmap(object->code, object->bytes);
    sw_arena_destroy(object->arena);
    sw_free(object);
}

sw_jit_code *
sw_jit_object_entry(const sw_jit_object *object, const char *name)
{
    for (size_t i = 0; i < object->global_count; i++)
        if (!strcmp(object->functions[i].name, name))
            return (sw_jit_code *)(uintptr_t)object->functions[i].address;
    return NULL;
}

const sw_jit_function *
sw_jit_object_functions(const sw_jit_object *object, size_t *count)
{
    *count = object->function_count;
    return object->functions;
}

const uint8_t *
sw_jit_object_section(const sw_jit_object *object, uint32_t section)
{
    return section < object->section_count &&
                   object->offsets[section] != NOT_LOADED
               ? object->code + object->offsets[section]
               : NULL;
}

size_t
sw_jit_object_bytes(const sw_jit_object *object)
{
    return object->bytes;
}
