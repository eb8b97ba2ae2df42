/* SPDX-License-Identifier: Apache-2.0 */
/*
 * debug_lines.c - which line of the program an instruction is from, for
 * debuggers and profilers: one compile unit, one function called as the kernel
 * is.
 */
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "jit/emit/control.h"

struct sw_jit_lines {
    LLVMDIBuilderRef builder;
    LLVMMetadataRef *files;  /* [file_count] */
    LLVMMetadataRef *scopes; /* [file_count] of the function in the file */
    LLVMMetadataRef function;
    uint32_t file; /* of the function */
};

/* The name as its author wrote it: of a mangled one without scopes its first
 * part, else all of it. */
static sw_str
short_name(const char *name)
{
    size_t n = 0;
    const char *p = name + 2;
    if (strncmp(name, "_Z", 2) != 0)
        return sw_str_of(name);
    for (; *p >= '0' && *p <= '9' && n < 4096; p++)
        n = n * 10 + (size_t)(*p - '0');
    return n && n <= strlen(p) ? (sw_str){p, n} : sw_str_of(name);
}

static LLVMMetadataRef
file_of(sw_jit_emit *e, uint32_t file)
{
    sw_jit_lines *l = e->f.lines;
    if (!l->files[file]) {
        const char *path = e->plan->fn->module->files[file];
        path = path ? path : "?";
        l->files[file] =
            LLVMDIBuilderCreateFile(l->builder, path, strlen(path), "", 0);
    }
    return l->files[file];
}

static LLVMMetadataRef
scope_of(sw_jit_emit *e, uint32_t file)
{
    sw_jit_lines *l = e->f.lines;
    if (file == l->file)
        return l->function;
    if (!l->scopes[file])
        l->scopes[file] = LLVMDIBuilderCreateLexicalBlockFile(
            l->builder, l->function, file_of(e, file), 0);
    return l->scopes[file];
}

static const sw_loc *
first_loc(const sw_fn *fn)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            if (fn->blocks[b]->ins[i]->loc)
                return &fn->module->locs[fn->blocks[b]->ins[i]->loc];
    return NULL;
}

static void
add_flag(sw_jit_emit *e, const char *name, uint32_t value)
{
    LLVMAddModuleFlag(e->ll.module, LLVMModuleFlagBehaviorWarning, name,
                      strlen(name), LLVMValueAsMetadata(sw_jit_i32(e, value)));
}

void
sw_jit_lines_open(sw_jit_emit *e)
{
    enum { DEBUG_INFO_VERSION = 3, DWARF = 5 };
    const sw_loc *loc = first_loc(e->plan->fn);
    if (!loc)
        return;
    sw_jit_lines *l = sw_alloc(sizeof *l);
    size_t files = e->plan->fn->module->file_count + 1;
    e->f.lines = l;
    l->builder = LLVMCreateDIBuilder(e->ll.module);
    l->files = sw_alloc(files * sizeof *l->files);
    l->scopes = sw_alloc(files * sizeof *l->scopes);
    l->file = loc->file;
    add_flag(e, "Debug Info Version", DEBUG_INFO_VERSION);
    add_flag(e, "Dwarf Version", DWARF);
    LLVMMetadataRef file = file_of(e, loc->file);
    LLVMDIBuilderCreateCompileUnit(
        l->builder, LLVMDWARFSourceLanguageC_plus_plus_14, file, "softwarp", 8,
        1, "", 0, 0, "", 0, LLVMDWARFEmissionFull, 0, 0, 0, "", 0, "", 0);
    sw_str name = short_name(e->plan->fn->name);
    l->function = LLVMDIBuilderCreateFunction(
        l->builder, file, name.p, name.n, e->plan->fn->name,
        strlen(e->plan->fn->name), file, loc->line,
        LLVMDIBuilderCreateSubroutineType(l->builder, file, NULL, 0,
                                          LLVMDIFlagZero),
        0, 1, loc->line, LLVMDIFlagZero, 1);
    LLVMSetSubprogram(e->f.function, l->function);
    LLVMSetCurrentDebugLocation2(
        e->ll.builder, LLVMDIBuilderCreateDebugLocation(
                           e->ll.context, loc->line, 0, l->function, NULL));
}

void
sw_jit_lines_at(sw_jit_emit *e, const sw_ins *ins)
{
    if (!e->f.lines)
        return;
    const sw_loc *loc = &e->plan->fn->module->locs[ins->loc];
    LLVMMetadataRef scope =
        ins->loc ? scope_of(e, loc->file) : e->f.lines->function;
    LLVMSetCurrentDebugLocation2(
        e->ll.builder,
        LLVMDIBuilderCreateDebugLocation(
            e->ll.context, ins->loc ? loc->line : 0,
            ins->loc && loc->column < 65536 ? loc->column : 0, scope, NULL));
}

void
sw_jit_lines_close(sw_jit_emit *e)
{
    sw_jit_lines *l = e->f.lines;
    if (!l)
        return;
    LLVMDIBuilderFinalize(l->builder);
    LLVMDisposeDIBuilder(l->builder);
    sw_free(l->files);
    sw_free(l->scopes);
    sw_free(l);
    e->f.lines = NULL;
}
