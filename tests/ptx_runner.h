/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_runner.h - between ptx_runner.c, which reads what to run and compares
 * what comes out, and what runs it: ptx_engine.c (the engine without any API;
 * every test goes through it) or ptx_driver.c (libcuda, ours or a real one).
 *
 * One thread, but for runner_print. Functions that return false have written
 * why with runner_error.
 */
#ifndef PTX_RUNNER_H
#define PTX_RUNNER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PTX_MAX_ARGS = 16 };

typedef struct {
    char kernel[256];
    unsigned grid[3], block[3], shared;
    unsigned cluster[3]; /* blocks; all 0: none */
    bool cooperative;
    const void *args[PTX_MAX_ARGS]; /* the values, as cuLaunchKernel's */
    size_t arg_bytes[PTX_MAX_ARGS];
    unsigned arg_count;
} device_launch;

/* ---- ptx_runner.c ---- */

/* A line for the errors: what ERROR and REPORT expectations look at. */
void runner_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Text that a kernel printed. Any thread. */
void runner_print(const char *text, size_t bytes);

/* ---- ptx_engine.c, ptx_driver.c ---- */

/* Whether expectations about our own words (REPORT) make sense. */
bool device_is_ours(void);
bool device_load(const char *name, const char *text, size_t bytes);
bool device_alloc(size_t bytes, uint64_t *address);
void device_free(uint64_t address);
bool device_copy_in(uint64_t to, const void *from, size_t bytes);
bool device_copy_out(void *to, uint64_t from, size_t bytes);
/* Launches and waits. */
bool device_run(const device_launch *launch);
void device_unload(void);

#endif
