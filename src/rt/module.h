/* SPDX-License-Identifier: Apache-2.0 */
/*
 * module.h - device code in a context: what a container's PTX becomes, its
 * variables in memory, its kernels, and launching them.
 *
 * A kernel is made ready by the engine at its first use. Any thread. Does NOT
 * know how code got into the program.
 */
#ifndef SW_RT_MODULE_H
#define SW_RT_MODULE_H
#include "device/occupancy.h"
#include "front/fatbin/fatbin.h"
#include "mach/registers.h"
#include "rt/stream.h"
#include "watch/watch.h"

struct sw_rt_module {
    sw_rt_object object;
    bool is_library; /* unloaded with it only */
    sw_rt_context *context;
    sw_vec parts;   /* sw_module *: linked together */
    sw_vec memory;  /* uint64_t: addresses of variables, kind MODULE */
    sw_vec managed; /* uint64_t */
    sw_vec placed;  /* uint64_t: registered memory of the program */
    pthread_mutex_t lock;
    sw_map *kernels; /* name -> sw_rt_kernel */
    /* name -> uintptr_t: what the vendor's assembler gave functions in machine
     * code for this device beside the PTX. */
    sw_map *machine_regs;
    sw_map *texrefs;  /* name -> void *: texture.h's */
    uint32_t version; /* PTX, times ten */
    uint32_t target;
};

/* A kernel made for certain events; in a list. */
typedef struct sw_rt_observed {
    uint32_t events;
    sw_program *program; /* NULL: it cannot be made */
    struct sw_rt_observed *next;
} sw_rt_observed;

struct sw_rt_kernel {
    sw_rt_object object;
    sw_rt_module *module;
    const sw_fn *fn;
    sw_program *program;      /* atomic; NULL until used */
    sw_rt_observed *observed; /* atomic; the same with events */
    uint64_t number;          /* atomic; sw_watch_launch.kernel; 0: none yet */
    sw_status status;         /* of making it, once tried */
    bool tried, capability_said;
    const sw_program_info *info;
    uint32_t regs;               /* atomic; 0: not looked for yet */
    uint32_t max_dynamic_shared; /* bytes, if it was set */
    bool has_max_dynamic;
    int carveout; /* percent; -1: default */
    int cache_config, bank_config;
    /* Of launches that say none, as an attribute; all 0: none. */
    uint32_t cluster[3];
    bool nonportable_cluster;
    int cluster_policy;
    /* Launching by steps. */
    uint32_t block[3], shared_bytes;
    unsigned char *params; /* [param_bytes], or NULL */
};

/*
 * From a pointer to a container, cubin, wrapper or PTX text. bytes 0: sizes
 * are what headers declare. `name` is for messages. Diagnostics, warnings too,
 * go to diag. SW_E_INVALID_IMAGE, SW_E_INVALID_PTX, SW_E_NO_BINARY_FOR_GPU,
 * SW_E_NOT_FOUND (a symbol no part defines), SW_E_NOMEM.
 */
sw_status sw_rt_module_load(sw_rt_context *context, const void *image,
                            size_t bytes, const char *name, sw_diag *diag,
                            sw_rt_module **out);
/* The same from a container that has been read; it may go then. */
sw_status sw_rt_module_make(sw_rt_context *context, const sw_fatbin *fatbin,
                            const char *name, sw_diag *diag,
                            sw_rt_module **out);
/* Variables of the next module that this thread loads that lie in the program's
 * own memory: their symbols get these addresses, their contents stay. */
typedef struct {
    const char *name;
    uint64_t address, bytes;
} sw_rt_placement;
void sw_rt_module_place(const sw_rt_placement *at, size_t count);
/* Its kernels take no more registers than that; before one is prepared. */
void sw_rt_module_bound_registers(sw_rt_module *module, uint32_t most);
/* A symbol that it refers to and neither it, what it is linked with nor the
 * engine has: the next at or after *i (start with 0), or NULL. */
const sw_sym *sw_rt_open_symbol(const sw_module *part, uint32_t *i);
/* Links parsed parts (sw_module *), to which it may add one. SW_E_NOT_FOUND: a
 * symbol is left open; SW_E_INVALID_PTX: one is defined twice. */
sw_status sw_rt_link(sw_vec *parts, sw_diag *diag);
/* Waits for the context's work. */
void sw_rt_module_destroy(sw_rt_module *module);
/* Borrowed from the module. SW_E_NOT_FOUND. */
sw_status sw_rt_module_kernel(sw_rt_module *module, const char *name,
                              sw_rt_kernel **out);
/* A variable; SW_E_NOT_FOUND. */
sw_status sw_rt_module_global(sw_rt_module *module, const char *name,
                              uint64_t *addr, uint64_t *bytes,
                              bool *is_managed);
/* The symbol of any kind, or NULL. */
/* A variable of the module that has a place of its own. */
bool sw_rt_is_variable(const sw_sym *sym);
sw_sym *sw_rt_module_find(sw_rt_module *module, const char *name);
/* Entry i of all kernels; NULL at the end. */
sw_fn *sw_rt_module_entry(sw_rt_module *module, size_t i);
/* All that a diag says, if anything, to the log. */
void sw_rt_log_diag(const sw_diag *diag, sw_level level);

/* ---- kernels ---- */

/* Makes it ready. SW_E_NO_BINARY_FOR_GPU with a sentence on stderr if the
 * device lacks an instruction it can reach. */
sw_status sw_rt_kernel_prepare(sw_rt_kernel *kernel);
static inline uint32_t
sw_rt_kernel_param_bytes(const sw_rt_kernel *kernel)
{
    return kernel->fn->param_bytes;
}
/* Parameter i: false if there is none. */
bool sw_rt_kernel_param(const sw_rt_kernel *kernel, uint32_t i,
                        uint32_t *offset, uint32_t *bytes);
/* After prepare: the number in the machine code, else an estimate, made at the
 * first question. */
uint32_t sw_rt_kernel_regs(sw_rt_kernel *kernel);
/* The numbers in the machine code that a device of capability `cc` (times ten)
 * would take: name -> uintptr_t; nothing if there is none. */
void sw_rt_machine_registers(const sw_fatbin *fatbin, uint32_t cc, sw_map *out);
/* Of any function on a device with these limits, its launch bounds and
 * .maxnreg counted; at most `most` registers (0: no such bound). */
sw_registers sw_rt_registers(const sw_fn *fn, const sw_cc_limits *limits,
                             uint32_t most);
uint32_t sw_rt_kernel_max_threads(const sw_rt_kernel *kernel);
/* After prepare: no more than its registers allow. */
uint32_t sw_rt_kernel_fit_threads(sw_rt_kernel *kernel);
/* After prepare: what its occupancy depends on, in blocks of so many threads
 * with so much dynamic shared memory. */
sw_occ_kernel sw_rt_kernel_occ(sw_rt_kernel *kernel, uint32_t threads,
                               uint64_t dynamic);

/* Whether this context's device accepts the launch; prepares the kernel.
 * *is_configuration: an SW_E_INVAL about dimensions. */
sw_status sw_rt_launch_check(const sw_rt_launch *launch, sw_rt_context *context,
                             bool *is_configuration);
/* Only whether the clusters can be, and how many blocks one has (0: there are
 * none); prepares the kernel. */
sw_status sw_rt_launch_clusters(const sw_rt_launch *launch,
                                sw_rt_context *context, uint32_t *blocks);
/* For stream.c: the engine's launch; and what follows its end. */
sw_status sw_rt_launch_prepare(sw_rt_launch *launch, sw_rt_context *context,
                               uint64_t grid_id, sw_launch *out);
/* stats NULL: it could not start. time, forecast: what observers say it takes
 * on a device (watch/watch.h); or NULL. */
void sw_rt_launch_ended(const sw_rt_launch *launch, const sw_fault *fault,
                        const sw_grid_stats *stats, sw_watch_time *time,
                        const struct sw_times **forecast);

#endif
