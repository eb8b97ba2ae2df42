/* SPDX-License-Identifier: Apache-2.0 */
/*
 * variant.c - compiled variants of programs: the compiler's library, a thread
 * for it beside the workers, the cache on disk. When to compile says
 * tier/policy.c.
 */
#include "jit/tier/variant.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "base/settings.h"
#include "jit/run/keep.h"
#include "jit/run/record.h"
#include "jit/tier/debug.h"
#include "jit/tune.h"
#include "opt/cfg.h"
#include "opt/tune.h"

static struct {
    pthread_once_t once;
    bool is_always;      /* SOFTWARP_ENGINE=jit */
    uint32_t most;       /* that are fused: SOFTWARP_JIT_FUSE */
    bool prefers_fused;  /* ... is set, and not 1 */
    uint64_t tier_up_ns; /* of an instruction: SOFTWARP_JIT_WIDEN */
    sw_variant_osr_use osr;
    bool only_dumps; /* SOFTWARP_JIT_DUMP_ONLY: no variant is ever ready */
    sw_jit_compile_fn *compile;
    sw_jit_free_fn *free;
    sw_jit_cache *cache;
    char *compiler_path;  /* libsoftwarp-jit.so */
    sw_jit_hash made_by;  /* the engine and the compiler, as files, the CPU */
    bool is_known;        /* ... which were found */
    char *tune;           /* sw_jit_request.tune */
    pthread_mutex_t lock; /* of `compile` and `free` until they are there */
} jit = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

/* What code is made by; part of its key. */
static const sw_tune_table *const tuned[] = {&sw_opt_tune_table,
                                             &sw_jit_tune_table};
enum { TUNED = sizeof tuned / sizeof *tuned };

/* ---- the compiler ---- */

static void
find_library(void)
{
    const char *name = sw_setting(SW_SETTING_JIT_LIBRARY);
    Dl_info info;
    jit.compiler_path = sw_strdup(name ? name : "libsoftwarp-jit.so");
    if (!name && dladdr((void *)(uintptr_t)&find_library, &info)) {
        const char *slash = strrchr(info.dli_fname, '/');
        static const char *const dirs[] = {"", "softwarp/", "../lib/",
                                           "../lib/softwarp/"};
        for (size_t i = 0; slash && i < sizeof dirs / sizeof *dirs; i++) {
            sw_buf path;
            sw_buf_init(&path);
            sw_buf_add(&path, info.dli_fname,
                       (size_t)(slash + 1 - info.dli_fname));
            sw_buf_puts(&path, dirs[i]);
            sw_buf_puts(&path, "libsoftwarp-jit.so");
            if (access(path.p, R_OK) == 0) {
                sw_free(jit.compiler_path);
                jit.compiler_path = sw_buf_take(&path);
                slash = NULL;
            }
            sw_buf_finish(&path);
        }
    }
}

/* A file that was built anew has another time. */
static bool
hash_file(sw_jit_hash *h, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return false;
    int64_t parts[3] = {st.st_size, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
    sw_jit_hash_add(h, parts, sizeof parts);
    return true;
}

/* Slow where a machine is virtual. */
static void
hash_cpu(sw_jit_hash *h)
{
#if defined(__x86_64__)
    static const unsigned leaves[][2] = {
        {1, 0}, {7, 0}, {7, 1}, {0x80000001u, 0}};
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++) {
        unsigned r[4] = {0};
        __get_cpuid_count(leaves[i][0], leaves[i][1], &r[0], &r[1], &r[2],
                          &r[3]);
        if (leaves[i][0] == 1)
            r[1] = 0; /* which core it runs on */
        sw_jit_hash_add(h, r, sizeof r);
    }
#else
    (void)h;
#endif
}

static void
start_jit(void)
{
    sw_jit_keep_detect();
    Dl_info info;
    bool is_fused = sw_setting(SW_SETTING_JIT_FUSE) != NULL;
    jit.is_always = sw_setting_is(SW_SETTING_ENGINE, "jit");
    jit.most =
        (uint32_t)sw_setting_number(SW_SETTING_JIT_FUSE, SW_JIT_FUSED_MAX);
    jit.prefers_fused = is_fused && jit.most > 1;
    jit.tier_up_ns = sw_setting_number(
        SW_SETTING_JIT_WIDEN, is_fused ? UINT64_MAX : sw_jit_tune.autotune_ns);
    const char *osr = sw_setting(SW_SETTING_JIT_OSR);
    jit.osr = !osr                    ? SW_VARIANT_OSR_LATE
              : strcmp(osr, "1") == 0 ? SW_VARIANT_OSR_ONLY
                                      : SW_VARIANT_OSR_NEVER;
    jit.only_dumps = sw_setting_is(SW_SETTING_JIT_DUMP_ONLY, "1");
    jit.is_always = jit.is_always && jit.osr != SW_VARIANT_OSR_ONLY;
    jit.cache = sw_jit_cache_open();
    find_library();
    sw_jit_hash_init(&jit.made_by);
    sw_buf tune;
    sw_buf_init(&tune);
    sw_tune_print_changed(tuned, TUNED, &tune);
    jit.tune = sw_buf_take(&tune);
    sw_buf_finish(&tune);
    jit.is_known = dladdr((void *)(uintptr_t)&start_jit, &info) &&
                   hash_file(&jit.made_by, info.dli_fname) &&
                   hash_file(&jit.made_by, jit.compiler_path);
    hash_cpu(&jit.made_by);
}

/* It stays: a compilation may be at work while the process ends; llvm/static.c
 * sees to it that nothing is taken from it then. */
static void
load_compiler_locked(void)
{
    static bool tried;
    if (tried)
        return;
    tried = true;
    void *lib =
        dlopen(jit.compiler_path, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (lib) {
        jit.free = (sw_jit_free_fn *)(uintptr_t)dlsym(lib, "sw_jit_free");
        jit.compile =
            (sw_jit_compile_fn *)(uintptr_t)dlsym(lib, "sw_jit_compile");
    }
    if (!jit.compile || !jit.free) {
        sw_log(SW_LOG_WARN, "kernels are interpreted, not compiled: %s",
               dlerror());
        jit.compile = NULL;
    }
}

static bool
load_compiler(void)
{
    pthread_mutex_lock(&jit.lock);
    load_compiler_locked();
    bool is_there = jit.compile != NULL;
    pthread_mutex_unlock(&jit.lock);
    return is_there;
}

/* ---- taking over what was compiled ---- */

/* What it is a variant of. */
static const sw_fn *
fn_of(const sw_variant *n)
{
    return n->program->fns[n->of];
}

static const sw_jit_external externals[] = {
    {"memcpy", (sw_jit_code *)memcpy},
    {"memset", (sw_jit_code *)memset},
    {"memmove", (sw_jit_code *)memmove},
    {"fma", (sw_jit_code *)fma},
    {"fmaf", (sw_jit_code *)fmaf},
    {"floor", (sw_jit_code *)floor},
    {"floorf", (sw_jit_code *)floorf},
    {"ceil", (sw_jit_code *)ceil},
    {"ceilf", (sw_jit_code *)ceilf},
    {"trunc", (sw_jit_code *)trunc},
    {"truncf", (sw_jit_code *)truncf},
    {"rint", (sw_jit_code *)rint},
    {"rintf", (sw_jit_code *)rintf},
    {"nearbyint", (sw_jit_code *)nearbyint},
    {"nearbyintf", (sw_jit_code *)nearbyintf},
    {"roundeven", (sw_jit_code *)roundeven},
    {"roundevenf", (sw_jit_code *)roundevenf}};

static bool
take_part(sw_variant *n, uint32_t part, const uint8_t *object, size_t bytes)
{
    sw_diag diag;
    sw_diag_init(&diag);
    sw_status status = sw_jit_object_load(object, bytes, externals,
                                          sizeof externals / sizeof *externals,
                                          &n->objects[part], &diag);
    if (status == SW_OK) {
        n->entries[part] = (sw_jit_entry_fn *)sw_jit_object_entry(
            n->objects[part], SW_JIT_ENTRY);
        n->debugs[part] = sw_jit_debug_register(n->objects[part], object, bytes,
                                                fn_of(n)->name);
    } else {
        sw_buf text;
        sw_buf_init(&text);
        sw_diag_print(&diag, &text);
        sw_log(SW_LOG_WARN, "compiled kernel %s: %s", fn_of(n)->name, text.p);
        sw_buf_finish(&text);
    }
    sw_diag_finish(&diag);
    return n->entries[part] != NULL;
}

/* The parts, one after the other; partition_bytes is there. */
static bool
take_objects(sw_variant *n, const uint8_t *object, uint64_t bytes)
{
    bool ok = n->partition_count > 0;
    n->objects = sw_alloc((n->partition_count + 1) * sizeof(sw_jit_object *));
    n->debugs =
        sw_alloc((n->partition_count + 1) * sizeof(struct sw_jit_debug *));
    n->entries = sw_alloc((n->partition_count + 1) * sizeof(sw_jit_entry_fn *));
    for (uint32_t i = 0; ok && i < n->partition_count; i++) {
        uint64_t size = n->partition_bytes[i];
        ok = size <= bytes && take_part(n, i, object, (size_t)size);
        if (ok) {
            object += size;
            bytes -= size;
        }
    }
    n->entry = ok ? n->entries[0] : NULL;
    return ok && bytes == 0;
}

/* ---- the cache ---- */

/* Modules of many kernels are large. */
static sw_jit_key
digest_of(sw_module *module)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!module->digest) {
        sw_jit_hash h;
        sw_buf text;
        sw_buf_init(&text);
        sw_ir_print(module, &text);
        sw_jit_hash_init(&h);
        sw_jit_hash_add_text(&h, text.p);
        sw_buf_finish(&text);
        sw_jit_key key = sw_jit_hash_finish(&h);
        module->digest = sw_alloc(sizeof key);
        memcpy(module->digest, &key, sizeof key);
    }
    pthread_mutex_unlock(&lock);
    return *(sw_jit_key *)module->digest;
}

static sw_jit_key
key_of(const sw_variant *n)
{
    sw_jit_hash h = jit.made_by;
    bool counts = sw_setting_is(SW_SETTING_STATS, "1");
    uint32_t counts_inline = n->program->events;
    static const sw_setting_id settings[] = {SW_SETTING_JIT_CPU,
                                             SW_SETTING_JIT_FEATURES};
    uint64_t tune = sw_tune_hash(tuned, TUNED);
    sw_jit_hash_add(&h, &tune, sizeof tune);
    sw_jit_hash_add(&h, &counts, sizeof counts);
    sw_jit_hash_add(&h, &counts_inline, sizeof counts_inline);
    sw_jit_hash_add(&h, &jit.prefers_fused, sizeof jit.prefers_fused);
    sw_jit_hash_add(&h, &n->is_wide, sizeof n->is_wide);
    sw_jit_hash_add(&h, &n->is_osr, sizeof n->is_osr);
    for (size_t i = 0; i < 2; i++) {
        const char *value = sw_setting(settings[i]);
        sw_jit_hash_add_text(&h, value ? value : "");
    }
    sw_jit_hash_add(&h, &n->map, sizeof n->map);
    sw_jit_hash_add(&h, n->fused_maps, sizeof n->fused_maps);
    sw_jit_hash_add(&h, n->ntid, sizeof n->ntid);
    const sw_coarsening *pack = &n->program->coarsening;
    sw_jit_hash_add(&h, &pack->threads_x, sizeof pack->threads_x);
    sw_jit_hash_add(&h, &pack->blocks, sizeof pack->blocks);
    sw_jit_hash_add(&h, &pack->has_rest, sizeof pack->has_rest);
    sw_jit_hash_add_text(&h, n->program->kernel->name);
    sw_jit_hash_add(&h, &n->of, sizeof n->of);
    const sw_module *last = NULL;
    for (uint32_t i = 0; i < n->program->fn_count; i++) {
        if (n->program->fns[i]->module == last)
            continue;
        last = n->program->fns[i]->module;
        sw_jit_key digest = digest_of(n->program->fns[i]->module);
        sw_jit_hash_add(&h, &digest, sizeof digest);
    }
    return sw_jit_hash_finish(&h);
}

/* Where a symbol stands in its module; UINT32_MAX: nowhere. */
static uint32_t
symbol_number(const sw_module *module, const sw_sym *sym)
{
    for (uint32_t i = 0; i < module->sym_count; i++)
        if (sw_sym_resolve(module->syms[i]) == sym)
            return i;
    return UINT32_MAX;
}

/* The tables of a variant, and what compile() makes of them. */
typedef struct {
    void **rows;
    uint32_t *count;
    size_t row_bytes;
} table;

enum { TABLES = 11 };

#define TABLE(of, rows, count)                                                 \
    {                                                                          \
        (void **)&(of)->rows, &(of)->count, sizeof *(of)->rows                 \
    }
#define TABLES_OF(of, osr)                                                     \
    {                                                                          \
        TABLE(of, sites, site_count), TABLE(of, latches, latch_count),         \
            TABLE(of, side_exits, side_exit_count),                            \
            TABLE(of, locations, location_count),                              \
            TABLE(of, stack_map, stack_map_count),                             \
            TABLE(of, lanes, lane_count), TABLE(of, rows, row_count),          \
            TABLE(of, accesses, access_count),                                 \
            TABLE(of, partition_bytes, partition_count),                       \
            TABLE(of, osr, entry_count), TABLE(of, points, point_count)        \
    }

/* The notes of an entry: counts, the tables, the symbols' numbers. */
typedef struct {
    uint32_t rows[TABLES], syms, fused, slots, has_local_rows, block_loop,
        phases;
    uint32_t has_wide, flushes;
} notes_head;

/* The disk's name of a kernel is that of its module's text, which does not say
 * what observers put into it. */
static bool
may_be_kept(const sw_variant *n)
{
    return jit.is_known && !n->program->is_instrumented;
}

static void
keep(const sw_variant *n, const sw_jit_key *key, sw_jit_result *r)
{
    const sw_module *module = n->program->kernel->module;
    const table tables[TABLES] = TABLES_OF(r, entries);
    notes_head head = {.syms = r->sym_count,
                       .fused = r->fused,
                       .slots = r->slot_count,
                       .has_local_rows = r->has_local_rows,
                       .block_loop = r->block_loop,
                       .phases = r->phases,
                       .has_wide = r->has_wide,
                       .flushes = r->flushes};
    sw_buf notes;
    sw_buf_init(&notes);
    for (int i = 0; i < TABLES; i++)
        head.rows[i] = *tables[i].count;
    sw_buf_add(&notes, (const char *)&head, sizeof head);
    for (int i = 0; i < TABLES; i++)
        sw_buf_add(&notes, *tables[i].rows,
                   *tables[i].count * tables[i].row_bytes);
    bool ok = true;
    for (uint32_t i = 0; i < r->sym_count; i++) {
        uint32_t number = symbol_number(module, r->syms[i]);
        ok = ok && number != UINT32_MAX;
        sw_buf_add(&notes, (const char *)&number, sizeof number);
    }
    sw_jit_entry entry = {.object = r->object,
                          .object_bytes = r->object_bytes,
                          .notes = (const uint8_t *)notes.p,
                          .notes_bytes = notes.n};
    if (ok && may_be_kept(n))
        sw_jit_cache_put(jit.cache, key, &entry);
    sw_buf_finish(&notes);
}

static void *
copy_of(const void *from, size_t bytes)
{
    void *to = sw_alloc(bytes + 1);
    if (bytes)
        memcpy(to, from, bytes);
    return to;
}

/* False: the notes are not what they should be. */
static bool
take_notes(sw_variant *n, const sw_jit_entry *entry)
{
    const sw_module *module = n->program->kernel->module;
    const table tables[TABLES] = TABLES_OF(n, osr_entries);
    notes_head head;
    uint64_t bytes = sizeof head;
    if (entry->notes_bytes < sizeof head)
        return false;
    memcpy(&head, entry->notes, sizeof head);
    for (int i = 0; i < TABLES; i++)
        bytes += head.rows[i] * (uint64_t)tables[i].row_bytes;
    if (entry->notes_bytes != bytes + head.syms * sizeof(uint32_t) ||
        head.fused < 1 || head.fused > SW_JIT_FUSED_MAX ||
        (head.fused & (head.fused - 1)) != 0)
        return false;
    n->fused = head.fused;
    n->has_local_rows = head.has_local_rows != 0;
    n->has_wide = head.has_wide != 0;
    n->flushes = head.flushes != 0;
    n->block_loop = (sw_jit_block_loop)head.block_loop;
    n->phases = head.phases;
    n->slot_count = head.slots;
    const uint8_t *p = entry->notes + sizeof head;
    for (int i = 0; i < TABLES; i++) {
        bytes = head.rows[i] * (uint64_t)tables[i].row_bytes;
        *tables[i].rows = copy_of(p, bytes);
        *tables[i].count = head.rows[i];
        p += bytes;
    }
    n->syms = sw_alloc((head.syms + 1) * sizeof *n->syms);
    n->sym_count = head.syms;
    for (uint32_t i = 0; i < head.syms; i++) {
        uint32_t number;
        memcpy(&number, p + i * sizeof number, sizeof number);
        if (number >= module->sym_count)
            return false;
        n->syms[i] = sw_sym_resolve(module->syms[number])->address;
    }
    return true;
}

static void
drop(sw_variant *n)
{
    for (uint32_t i = 0; i < n->called_count; i++) {
        if (n->called[i])
            drop(n->called[i]);
        sw_free(n->called[i]);
    }
    sw_free(n->called);
    n->called = NULL;
    n->called_count = 0;
    const table tables[TABLES] = TABLES_OF(n, osr_entries);
    for (uint32_t i = 0; n->objects && i < n->partition_count; i++) {
        sw_jit_debug_unregister(n->debugs[i]);
        sw_jit_object_destroy(n->objects[i]);
    }
    for (int i = 0; i < TABLES; i++) {
        sw_free(*tables[i].rows);
        *tables[i].rows = NULL;
        *tables[i].count = 0;
    }
    sw_free(n->syms);
    sw_free(n->objects);
    sw_free(n->debugs);
    sw_free(n->entries);
    sw_free(n->stops);
    sw_free(n->ev_sites);
    n->ev_sites = NULL;
    n->stops = NULL;
    n->syms = NULL;
    n->objects = NULL;
    n->debugs = NULL;
    n->entries = NULL;
}

/* False: it is not there, or not what it should be. */
static bool
look_up(sw_variant *n, const sw_jit_key *key)
{
    sw_jit_entry entry;
    if (!may_be_kept(n) || !sw_jit_cache_get(jit.cache, key, &entry))
        return false;
    bool ok = take_notes(n, &entry) &&
              take_objects(n, entry.object, entry.object_bytes);
    if (!ok)
        drop(n);
    sw_jit_entry_finish(&entry);
    return ok;
}

/* ---- compiling ---- */

/* sw_jit_request.arg */
typedef struct {
    const sw_program *program;
    bool *callable; /* [fn_count] */
} asked;

static uint32_t
shared_offset(void *arg, sw_sym *sym)
{
    return sw_program_shared_offset(((const asked *)arg)->program, sym);
}

static const sw_fn *
called_fn(void *arg, const sw_fn *caller, const sw_ins *call, uint32_t *number)
{
    const asked *a = arg;
    return sw_variant_called_fn(a->program, a->callable, caller, call, number);
}

static bool
compile_variant(sw_variant *n, asked *arg)
{
    const sw_fn *fn = fn_of(n);
    uint32_t *frame_slots = sw_alloc(fn->reg_count * sizeof *frame_slots);
    sw_cfg *cfg = sw_cfg_create(fn);
    sw_interp_place_registers(fn, cfg, frame_slots);
    bool has_entries = !cfg->irreducible && cfg->loop_count > 1;
    sw_cfg_destroy(cfg);
    sw_jit_request request = {
        .kernel = fn,
        .map = n->map,
        .prefers_fused = jit.prefers_fused,
        .is_wide = n->is_wide,
        .is_osr = n->is_osr,
        .phases = n->ntid[0] ? sw_lane_map_phases(n->ntid) : 1,
        .frame_slots = frame_slots,
        .shared_bytes = n->program->info.static_shared_bytes,
        .shared_offset = shared_offset,
        .called = called_fn,
        .arg = arg,
        .threads = sw_exec_thread_count(),
        .count_ins = sw_setting_is(SW_SETTING_STATS, "1"),
        .counts_inline = n->program->events != 0,
        .events = sw_jit_records(n->program) ? n->program->events : 0,
        .cpu = sw_setting(SW_SETTING_JIT_CPU),
        .tune = jit.tune,
        .features = sw_setting(SW_SETTING_JIT_FEATURES)};
    if (!(request.events & SW_EV_VALUES)) /* those are told warp by warp */
        memcpy(request.fused_maps, n->fused_maps, sizeof n->fused_maps);
    if (request.events) /* sites are those of one function */
        request.phases = 1;
    memcpy(request.ntid, n->ntid, sizeof n->ntid);
    sw_jit_result result = {0};
    if (has_entries || !n->is_osr)
        jit.compile(&request, &result);
    sw_free(frame_slots);
    bool ok = result.object != NULL;
    if (ok) {
        const table from[TABLES] = TABLES_OF(&result, entries),
                    to[TABLES] = TABLES_OF(n, osr_entries);
        for (int i = 0; i < TABLES; i++) {
            *to[i].rows =
                copy_of(*from[i].rows, *from[i].count * from[i].row_bytes);
            *to[i].count = *from[i].count;
        }
        n->syms = sw_alloc((result.sym_count + 1) * sizeof *n->syms);
        n->sym_count = result.sym_count;
        n->fused = result.fused;
        n->has_local_rows = result.has_local_rows;
        n->has_wide = result.has_wide;
        n->flushes = result.flushes;
        n->block_loop = result.block_loop;
        n->phases = result.phases;
        n->slot_count = result.slot_count;
        for (uint32_t i = 0; i < result.sym_count; i++)
            n->syms[i] = result.syms[i]->address;
        ok = take_objects(n, result.object, result.object_bytes);
        if (ok)
            keep(n, &n->key, &result);
        else
            drop(n);
    }
    if (!ok && !n->is_wide && !n->is_osr) {
        sw_log(n->of ? SW_LOG_DEBUG : SW_LOG_WARN,
               "%s %s is interpreted: it cannot be compiled%s%s",
               n->of ? "function" : "kernel", fn->name,
               result.message ? ": " : "",
               result.message ? result.message : "");
    }
    jit.free(&result);
    return ok;
}

/* A variant of a function that the kernel calls, for warps as the kernel's. */
static sw_variant *
variant_of_called(const sw_variant *n, uint32_t number)
{
    sw_variant *c = sw_alloc(sizeof *c);
    c->program = n->program;
    c->map = n->map;
    c->map.is_full = false;
    c->of = number;
    c->key = key_of(c);
    return c;
}

/* The functions that are called: from the cache, and if told by the compiler.
 * False: not all are there. */
static bool
add_called(sw_variant *n, asked *arg, bool compiles)
{
    uint32_t count = n->program->fn_count;
    bool all = true, any = false;
    n->called = sw_alloc((count + 1) * sizeof(sw_variant *));
    n->called_count = count;
    for (uint32_t i = 1; i < count; i++) {
        if (!arg->callable[i])
            continue;
        any = true; /* code may ask for it */
        sw_variant *c = variant_of_called(n, i);
        if (look_up(c, &c->key) ||
            (compiles && load_compiler() && compile_variant(c, arg))) {
            n->called[i] = c;
            continue;
        }
        sw_free(c);
        all = false;
    }
    if (!any) {
        sw_free(n->called);
        n->called = NULL;
        n->called_count = 0;
    }
    return all;
}

static void
publish(sw_variant *n, sw_variant_state state)
{
    sw_jit_program *code = n->program->code;
    sw_free(n->stops);
    n->stops = sw_alloc((n->entry_count + 1) * sizeof *n->stops);
    for (uint32_t i = 0; i < n->entry_count; i++)
        n->stops[i] = n->osr_entries[i].ins;
    n->counters = (sw_counter_table){.kernel = n->program->kernel,
                                     .rows = n->rows,
                                     .accesses = n->accesses,
                                     .row_count = n->row_count,
                                     .access_count = n->access_count,
                                     .slot_count = n->slot_count};
    if (code->records)
        n->ev_sites = sw_jit_record_sites(n);
    pthread_mutex_lock(&code->lock);
    atomic_store_explicit(&n->state, state, memory_order_release);
    pthread_cond_broadcast(&code->done);
    pthread_mutex_unlock(&code->lock);
}

static bool
was_compiled_before(sw_variant *n)
{
    if (n->is_looked_up || !may_be_kept(n) || !sw_jit_cache_folder(jit.cache))
        return false;
    n->is_looked_up = true;
    n->key = key_of(n);
    if (!look_up(n, &n->key))
        return false;
    sw_log(SW_LOG_DEBUG, "%s was compiled before", n->program->kernel->name);
    return true;
}

/* The kernel and what it calls, from the cache. */
static bool
find_all(sw_variant *n)
{
    if (!was_compiled_before(n))
        return false;
    asked a = {n->program, sw_variant_find_callable(n->program)};
    bool all = add_called(n, &a, false);
    if (!all) {
        drop(n);
        n->is_looked_up = false;
    }
    sw_free(a.callable);
    return all;
}

/* The same, and what is not there by the compiler. */
static bool
make_all(sw_variant *n)
{
    asked a = {n->program, sw_variant_find_callable(n->program)};
    bool ok =
        was_compiled_before(n) || (load_compiler() && compile_variant(n, &a));
    if (ok || jit.only_dumps)
        add_called(n, &a, true);
    sw_free(a.callable);
    return ok;
}

/* From WAITING to READY or back to NEW. */
static void *
look(void *arg)
{
    sw_variant *n = arg;
    publish(n, find_all(n) ? SW_VARIANT_READY : SW_VARIANT_NEW);
    return NULL;
}

/* From WAITING to READY or FAILED. */
static void *
work(void *arg)
{
    sw_variant *n = arg;
    fenv_t kept;
    sw_float_enter(&kept);
    publish(n, make_all(n) ? SW_VARIANT_READY : SW_VARIANT_FAILED);
    sw_float_leave(&kept);
    return NULL;
}

/* On a thread of its own, if there can be one. */
static void
go_beside(void *(*what)(void *), sw_variant *n)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, what, n) == 0)
        pthread_detach(thread);
    else
        what(n);
}

void
sw_variant_look(sw_variant *n)
{
    go_beside(look, n);
}

void
sw_variant_look_now(sw_variant *n)
{
    look(n);
}

void
sw_variant_compile(sw_variant *n)
{
    if (jit.osr == SW_VARIANT_OSR_ONLY)
        work(n);
    else
        go_beside(work, n);
}

bool
sw_variant_claim(sw_variant *n, bool compiles)
{
    sw_jit_program *code = n->program->code;
    pthread_mutex_lock(&code->lock);
    bool is_mine = atomic_load(&n->state) == SW_VARIANT_NEW;
    if (is_mine) {
        atomic_store(&n->is_compiling, compiles);
        atomic_store(&n->state, SW_VARIANT_WAITING);
    }
    pthread_mutex_unlock(&code->lock);
    return is_mine;
}

/* One more of the program. */
static sw_variant *
add_locked(const sw_program *program, const sw_lane_map *map,
           const uint32_t ntid[3],
           const sw_lane_map fused_maps[SW_JIT_FUSED_SIZES])
{
    sw_jit_program *code = program->code;
    sw_variant *n = sw_alloc(sizeof *n);
    n->program = program;
    n->map = *map;
    memcpy(n->ntid, ntid, sizeof n->ntid);
    memcpy(n->fused_maps, fused_maps, sizeof n->fused_maps);
    n->next = code->variants;
    code->variants = n;
    return n;
}

sw_variant_osr_use
sw_variant_uses_osr(void)
{
    return jit.osr;
}

sw_variant *
sw_variant_osr_of(sw_variant *n)
{
    static const sw_lane_map none[SW_JIT_FUSED_SIZES];
    static const uint32_t no_phases[3];
    sw_jit_program *code = n->program->code;
    sw_variant *osr = atomic_load(&n->osr);
    if (osr)
        return osr;
    pthread_mutex_lock(&code->lock);
    osr = atomic_load(&n->osr);
    if (!osr) {
        osr = add_locked(n->program, &n->map, no_phases, none);
        osr->is_osr = true;
        atomic_store(&n->osr, osr);
    }
    pthread_mutex_unlock(&code->lock);
    return osr;
}

uint64_t
sw_variant_tier_up_ns(const sw_variant *n)
{
    if (!n->has_wide || n->program->events || jit.tier_up_ns == UINT64_MAX)
        return UINT64_MAX;
    return sw_variant_size(n) * jit.tier_up_ns;
}

void
sw_variant_tier_up(sw_variant *n)
{
    sw_jit_program *code = n->program->code;
    sw_variant *wide = NULL;
    pthread_mutex_lock(&code->lock);
    if (!atomic_load(&n->wide)) {
        wide = add_locked(n->program, &n->map, n->ntid, n->fused_maps);
        wide->is_wide = true;
        atomic_store(&wide->state, SW_VARIANT_WAITING);
        atomic_store(&n->wide, wide);
    }
    pthread_mutex_unlock(&code->lock);
    if (wide && jit.tier_up_ns)
        go_beside(work, wide);
    else if (wide)
        work(wide);
}

void
sw_variant_prepare(sw_variant *n)
{
    sw_jit_program *code = n->program->code;
    if (!jit.is_always ||
        atomic_load_explicit(&n->state, memory_order_acquire) >=
            SW_VARIANT_READY)
        return;
    if (sw_variant_claim(n, true)) {
        work(n);
        return;
    }
    pthread_mutex_lock(&code->lock);
    while (atomic_load(&n->state) < SW_VARIANT_READY)
        pthread_cond_wait(&code->done, &code->lock);
    pthread_mutex_unlock(&code->lock);
}

/* ---- the list ---- */

/* Blocks that are a few of the largest groups of fused warps, of which each may
 * have code of its own. */
static bool
is_several_fused(const uint32_t ntid[3])
{
    return jit.most == SW_JIT_FUSED_MAX &&
           sw_lane_map_fused_count(ntid, SW_LANES_MAX);
}

static sw_variant *
find_locked(const sw_program *program, const uint32_t ntid[3],
            bool is_large_grid)
{
    sw_jit_program *code = program->code;
    sw_lane_map map, fused_maps[SW_JIT_FUSED_SIZES];
    sw_lane_map_init(&map, ntid, SW_WARP_LANES);
    map.is_large_grid = is_large_grid;
    for (unsigned i = 0; i < SW_JIT_FUSED_SIZES; i++) {
        sw_lane_map *fused = &fused_maps[i];
        sw_lane_map_init(fused, ntid, 64u << i);
        fused->is_large_grid = is_large_grid;
        if (!fused->is_full || 2u << i > jit.most)
            memset(fused, 0, sizeof *fused);
    }
    uint32_t phases = sw_lane_map_phases(ntid), dims[3] = {0};
    if (phases > 1 || is_several_fused(ntid))
        memcpy(dims, ntid, sizeof dims);
    sw_variant *n = code->variants;
    while (n &&
           (n->is_wide || n->is_osr || memcmp(&n->map, &map, sizeof map) != 0 ||
            memcmp(n->ntid, dims, sizeof dims) != 0 ||
            memcmp(n->fused_maps, fused_maps, sizeof fused_maps) != 0))
        n = n->next;
    return n ? n : add_locked(program, &map, dims, fused_maps);
}

sw_variant *
sw_variant_find(const sw_program *program, const uint32_t ntid[3],
                bool is_large_grid)
{
    sw_jit_program *code = program->code;
    pthread_once(&jit.once, start_jit);
    pthread_mutex_lock(&code->lock);
    sw_variant *n = code->last.variant;
    if (!n || code->last.is_large_grid != is_large_grid ||
        memcmp(code->last.ntid, ntid, sizeof code->last.ntid) != 0) {
        n = find_locked(program, ntid, is_large_grid);
        memcpy(code->last.ntid, ntid, sizeof code->last.ntid);
        code->last.is_large_grid = is_large_grid;
        code->last.variant = n;
    }
    pthread_mutex_unlock(&code->lock);
    return n;
}

bool
sw_variant_is_busy(const sw_program *program)
{
    sw_jit_program *code = program->code;
    bool is_busy = false;
    pthread_mutex_lock(&code->lock);
    for (const sw_variant *n = code->variants; n; n = n->next)
        is_busy = is_busy || atomic_load(&n->state) == SW_VARIANT_WAITING;
    pthread_mutex_unlock(&code->lock);
    return is_busy;
}

void
sw_variant_destroy_all(sw_jit_program *code)
{
    pthread_mutex_lock(&code->lock);
    for (sw_variant *n = code->variants; n; n = n->next)
        while (atomic_load(&n->state) == SW_VARIANT_WAITING)
            pthread_cond_wait(&code->done, &code->lock);
    pthread_mutex_unlock(&code->lock);
    while (code->variants) {
        sw_variant *n = code->variants;
        code->variants = n->next;
        drop(n);
        sw_free(n);
    }
}
