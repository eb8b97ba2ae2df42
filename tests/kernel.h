/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h - for tests of the engine: a kernel from PTX text, launched without
 * any runtime. Variables of module scope are not placed.
 */
#ifndef KERNEL_H
#define KERNEL_H
#include <pthread.h>

#include "exec/exec.h"
#include "front/ptx/ptx.h"

#define KERNEL_HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

typedef struct {
    sw_module *module;
    sw_program *program;
} kernel;

/* A launch in progress. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    unsigned done; /* calls of it */
    sw_fault fault;
    sw_grid_stats stats;
} kernel_run;

static sw_env kernel_env = {.clock_khz = 1000000,
                            .sm_count = 4,
                            .members_checked = true,
                            .stack_bytes = 1024,
                            .heap_bytes = 1 << 20};

/* The entry "k" of the text; false (with the reason on stdout) if there is
 * none. */
static inline bool
kernel_create(kernel *k, const char *text, uint32_t events)
{
    sw_diag diag;
    sw_buf said;
    sw_diag_init(&diag);
    sw_buf_init(&said);
    *k = (kernel){0};
    k->module = sw_ptx_parse("test.ptx", text, strlen(text), &diag);
    const sw_sym *sym = k->module &&
                                sw_ir_link(&k->module, 1, &diag) == SW_OK &&
                                sw_ir_verify(k->module, &diag) == SW_OK
                            ? sw_module_find(k->module, "k")
                            : NULL;
    bool ok = sym && sw_program_create(&sw_backend_interp, sym->fn, events,
                                       &diag, &k->program) == SW_OK;
    sw_diag_print(&diag, &said);
    if (said.n)
        printf("%s", said.p);
    sw_buf_finish(&said);
    sw_diag_finish(&diag);
    return ok;
}

static inline void
kernel_destroy(kernel *k)
{
    sw_program_destroy(k->program);
    if (k->module)
        sw_module_destroy(k->module);
}

static inline void
kernel_done(void *arg, const sw_fault *fault, const sw_grid_stats *stats)
{
    kernel_run *r = arg;
    pthread_mutex_lock(&r->lock);
    r->done++;
    r->fault = *fault;
    r->stats = *stats;
    pthread_cond_signal(&r->wake);
    pthread_mutex_unlock(&r->lock);
}

/* Blocks of x threads, a line of them; one parameter. */
static inline sw_launch
kernel_launch(const kernel *k, uint32_t grid, uint32_t block, const uint64_t *p)
{
    return (sw_launch){.program = k->program,
                       .grid = {grid, 1, 1},
                       .block = {block, 1, 1},
                       .params = p,
                       .env = &kernel_env,
                       .done = kernel_done};
}

static inline sw_status
kernel_start(kernel_run *r, sw_launch *launch)
{
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->wake, NULL);
    r->done = 0;
    launch->arg = r;
    return sw_exec_submit(launch);
}

static inline void
kernel_wait(kernel_run *r)
{
    pthread_mutex_lock(&r->lock);
    while (!r->done)
        pthread_cond_wait(&r->wake, &r->lock);
    pthread_mutex_unlock(&r->lock);
}

#endif
