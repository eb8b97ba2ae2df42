/* SPDX-License-Identifier: Apache-2.0 */
/* build_cache.c - see build_cache.h. */
#include "api/opencl/build_cache.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "base/settings.h"
#include "jit/tier/cache.h"

static struct {
    pthread_once_t once;
    sw_jit_cache *cache;
} kept = {.once = PTHREAD_ONCE_INIT};

static void
open_cache(void)
{
    kept.cache = sw_jit_cache_open();
}

/* The compiler is another if its library's file is. */
static void
add_compiler(sw_jit_hash *hash, const sw_ocl_compiler *compiler)
{
    Dl_info info;
    struct stat file;
    const void *function;
    memcpy(&function, &compiler->build, sizeof function);
    if (dladdr(function, &info) && stat(info.dli_fname, &file) == 0) {
        sw_jit_hash_add_text(hash, info.dli_fname);
        sw_jit_hash_add(hash, &file.st_size, sizeof file.st_size);
        sw_jit_hash_add(hash, &file.st_mtim, sizeof file.st_mtim);
    }
    const char *clang = sw_setting(SW_SETTING_CLANG);
    sw_jit_hash_add_text(hash, clang ? clang : "");
}

static sw_jit_key
key_of(const sw_ocl_compiler *compiler, const sw_cl_compile_request *r)
{
    sw_jit_hash hash;
    sw_jit_hash_init(&hash);
    sw_jit_hash_add_text(&hash, "OpenCL program 1");
    add_compiler(&hash, compiler);
    sw_jit_hash_add_text(&hash, r->name);
    sw_jit_hash_add_text(&hash, r->options ? r->options : "");
    sw_jit_hash_add(&hash, &r->capability, sizeof r->capability);
    sw_jit_hash_add(&hash, r->source.p, r->source.n);
    return sw_jit_hash_finish(&hash);
}

/* What files of the user say is not known here. */
static bool
is_whole(const sw_cl_compile_request *r)
{
    return !memmem(r->source.p, r->source.n, "include", 7) &&
           !(r->options && strstr(r->options, "include"));
}

sw_status
sw_ocl_build_cached(const sw_ocl_compiler *compiler,
                    const sw_cl_compile_request *r, sw_buf *ptx, sw_buf *log)
{
    pthread_once(&kept.once, open_cache);
    if (!is_whole(r))
        return compiler->build(r, ptx, log);
    sw_jit_key key = key_of(compiler, r);
    sw_jit_entry entry;
    if (sw_jit_cache_get(kept.cache, &key, &entry)) {
        sw_buf_init(ptx);
        sw_buf_init(log);
        sw_buf_add(ptx, (const char *)entry.object, entry.object_bytes);
        sw_buf_add(log, (const char *)entry.notes, entry.notes_bytes);
        sw_jit_entry_finish(&entry);
        return SW_OK;
    }
    sw_status status = compiler->build(r, ptx, log);
    entry = (sw_jit_entry){.object = (const uint8_t *)ptx->p,
                           .object_bytes = ptx->n,
                           .notes = (const uint8_t *)log->p,
                           .notes_bytes = log->n};
    if (status == SW_OK)
        sw_jit_cache_put(kept.cache, &key, &entry);
    return status;
}
