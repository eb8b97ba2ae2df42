/* SPDX-License-Identifier: Apache-2.0 */
/* compiler.c - see compiler.h. */
#include "api/opencl/compiler.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static struct {
    pthread_once_t once;
    sw_ocl_compiler functions;
    bool is_loaded;
} compiler = {.once = PTHREAD_ONCE_INIT};

/* A library of that name beside this one. */
static void *
open_beside(const char *name)
{
    Dl_info info;
    if (!dladdr(&compiler, &info) || !info.dli_fname)
        return NULL;
    const char *slash = strrchr(info.dli_fname, '/');
    size_t folder = slash ? (size_t)(slash - info.dli_fname) + 1 : 0;
    sw_buf path;
    sw_buf_init(&path);
    sw_buf_add(&path, info.dli_fname, folder);
    sw_buf_puts(&path, name);
    void *library = dlopen(path.p, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    sw_buf_finish(&path);
    return library;
}

static bool
find(void *library, const char *name, void *pointer)
{
    void *symbol = dlsym(library, name);
    memcpy(pointer, &symbol, sizeof symbol);
    return symbol != NULL;
}

static void
load(void)
{
    sw_ocl_compiler *f = &compiler.functions;
    void *library = open_beside("libsoftwarp-cc.so.0");
    compiler.is_loaded =
        library && find(library, "sw_cl_compile", &f->compile) &&
        find(library, "sw_cl_link", &f->link) &&
        find(library, "sw_cl_build", &f->build) &&
        find(library, "sw_cl_check_options", &f->check_options) &&
        find(library, "sw_cl_makes_library", &f->makes_library) &&
        find(library, "sw_cl_read_facts", &f->read_facts) &&
        find(library, "sw_cl_takes_spirv", &f->takes_spirv);
    if (!compiler.is_loaded)
        sw_log(SW_LOG_ERROR, "OpenCL programs cannot be compiled: %s",
               library ? "libsoftwarp-cc.so.0 is of another version"
                       : dlerror());
}

const sw_ocl_compiler *
sw_ocl_get_compiler(void)
{
    pthread_once(&compiler.once, load);
    return compiler.is_loaded ? &compiler.functions : NULL;
}

static struct {
    pthread_once_t once;
    bool takes;
} spirv = {.once = PTHREAD_ONCE_INIT};

static void
ask_spirv(void)
{
    const sw_ocl_compiler *c = sw_ocl_get_compiler();
    spirv.takes = c && c->takes_spirv();
}

bool
sw_ocl_takes_spirv(void)
{
    pthread_once(&spirv.once, ask_spirv);
    return spirv.takes;
}
