/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.h - the devices there have been, and what each compute capability
 * allows: the database behind `--device`, launch checks, occupancy and the
 * performance model.
 *
 * Owns two constant tables (devices.def, capability.def) and the devices of
 * the user's files, which are read at the first question and kept until the
 * process ends. Every function is safe from any thread. Does NOT know kernels,
 * launches or memory in use.
 *
 * In all structs here an unknown number is 0 and an unknown text is "": no
 * column has 0 as a real value, but those whose comment says so.
 */
#ifndef SW_DEVICE_DEVICE_H
#define SW_DEVICE_DEVICE_H
#include "base/base.h"

/* What a compute capability fixes. Sizes in bytes unless named otherwise. */
typedef struct {
    uint32_t cc; /* times ten: 13, 90, 120 */
    const char *arch;
    const char *chips; /* comma-separated */

    /* threads */
    uint32_t warp_size;
    uint32_t max_warps_sm;
    uint32_t max_blocks_sm;
    uint32_t max_threads_sm;
    uint32_t max_threads_block;
    uint32_t max_block[3];
    uint32_t max_grid[3]; /* z is 1 below 2.0 */

    /* registers: 32-bit */
    uint32_t regs_sm;
    uint32_t regs_block_max;
    uint32_t max_regs_thread;
    bool regs_per_block;    /* allocated by the block (1.x), else by the warp */
    uint32_t reg_unit;      /* an allocation is a multiple of this */
    uint32_t warp_gran;     /* warps a block counts for: a multiple of this */
    uint32_t subpartitions; /* register-file slices of an SM */

    /* shared memory */
    uint32_t smem_sm; /* largest configuration */
    uint32_t
        smem_config_kb[10]; /* `smem_configs` of them, in KiB; may hold 0 */
    uint32_t smem_configs;
    uint32_t smem_block;       /* without opting in */
    uint32_t smem_block_optin; /* == smem_block where there is no opt-in */
    uint32_t smem_unit;
    uint32_t smem_reserved; /* taken by the system from every block; 0: none */
    uint32_t smem_banks;
    uint32_t smem_bank_bytes;
    uint32_t smem_phase_threads; /* threads that can conflict: 16 or 32 */
    uint32_t smem_bytes_per_clk;

    /* caches */
    uint32_t const_bytes;       /* of __constant__ memory */
    uint32_t const_cache_bytes; /* per SM */
    const char *tex_cache_kb;   /* words, "12-48" */
    const char *l1_data_kb;     /* words, "16|48 (64 KB array shared ...)" */
    uint32_t l1_line;           /* 0: no L1 data cache */
    uint32_t l1_sector;
    const char *l1_caches_global; /* begins "yes", "no" or "opt-in" */
    uint32_t l2_line;             /* 0: not public */
    uint32_t l2_sector;

    /* units per SM; 0 means none, but for dp and ldst of 7.2 and 10.x up, where
     * it means not public */
    uint32_t sp_units;
    uint32_t int32_units;
    uint32_t dp_units;
    uint32_t sfu_units;
    uint32_t ldst_units;
    uint32_t tensor_cores;
    uint32_t schedulers;
    uint32_t dispatch_per_scheduler;
    uint32_t clocks_per_sp_warp;

    /* the rest */
    uint32_t barriers_block;
    uint32_t barriers_sm; /* 0: no limit is known */
    uint32_t max_resident_grids;
    uint32_t max_cluster; /* blocks, portable; 0: no clusters */
    uint32_t local_thread_bytes;
    uint32_t param_bytes; /* kernel parameters as of the table's source */
    uint32_t max_instructions;
    const char *issue_rules;
    const char *notes;
    const char *sources;
} sw_cc_limits;

typedef struct {
    const char *name;     /* the table's, unique: "GeForce GTX 280" */
    const char *reported; /* what the APIs say; mostly the same */
    const char *chip;
    uint32_t cc; /* times ten */
    uint32_t gpus_on_board;
    uint32_t sm_count;
    uint32_t fp32_lanes;
    double core_mhz;
    double shader_mhz; /* 0 where cores run on the core clock (Kepler up) */
    double boost_mhz;
    double mem_mhz;       /* command clock: data rate / 2, or / 4 for GDDR5 */
    const char *mem_type; /* "GDDR3" */
    uint32_t bus_bits;
    double mem_bw_gbs; /* 10^9 bytes a second, theoretical */
    double mem_rate_gbps;
    uint64_t mem_bytes; /* what the APIs report as total */
    uint64_t l2_bytes;
    const char *bus; /* "PCIe 2.0 x16", "integrated", "MXM-II" */
    uint32_t mem_partitions;
    uint32_t partition_bits;
    uint32_t interleave_bytes;
    const char *source; /* where the numbers are from */
    const char *notes;
} sw_device_info;

/*
 * A device by what a user types: case-insensitive; first the whole name or
 * reported name, then the same with the vendor's words ("NVIDIA ", "GeForce ",
 * "Tesla ", "Quadro ") left out of both, then the usual model of a name that
 * several have ("H100", aliases.def), then the number alone ("3090"), then a
 * part that only one name has, then words that only one has, in any order and
 * however they are joined ("A100-SXM4-80GB", "H100 80GB HBM3": as drivers say).
 * A device of the user's hides one of the table with the same name.
 * NULL: none, or several. Borrowed for ever.
 */
const sw_device_info *sw_device_find(const char *name);
/* The same among the table and `own`, of `const sw_device_info *`, only. */
const sw_device_info *sw_device_find_in(const sw_vec *own, const char *name);
/* Whether the device is called just so, and not only found by that name: else
 * who asked should be told which it is. */
bool sw_device_is_named(const sw_device_info *device, const char *name);
/* "; did you mean A, B or C?", best first, for an error message; nothing if no
 * name is near. Appends to `out`. */
void sw_device_near(const char *name, sw_buf *out);

/* "NVIDIA H200", with the figures of a real one. */
const sw_device_info *sw_device_default(void);
/* The table's, oldest first, then the user's; without those that a later one
 * of the user's replaces. */
size_t sw_device_count(void);
const sw_device_info *sw_device_at(size_t i); /* i < count */

/* The clock that shader cores reach: shader, else boost, else core; kHz. */
uint32_t sw_device_clock_khz(const sw_device_info *device);

/*
 * The limits of a compute capability times ten. One that has no row gets that
 * of the nearest known lower one (8.8: 8.7), below 1.0 that of 1.0. Never
 * NULL; `->cc` tells which row it is. Borrowed for ever.
 */
const sw_cc_limits *sw_device_limits(int cc_times_10);
/* Whether there is such a capability: it has a row, or is a variant with the
 * limits of the row below. */
bool sw_device_knows_cc(int cc_times_10);
/* "9.9" as 99; 0: not the text of a compute capability, known or not. */
int sw_device_parse_cc(const char *text);
/* All that have rows, "1.0, 1.1, ...". */
void sw_device_list_cc(sw_buf *out);
size_t sw_device_limits_count(void);
const sw_cc_limits *sw_device_limits_at(size_t i);

/*
 * The devices, `const sw_device_info *`, of the files named in
 * SOFTWARP_DEVICE_FILE (separated by colons; empty: none), or if it is not set
 * of softwarp/devices in $XDG_CONFIG_HOME or ~/.config. Both borrowed for
 * ever. Errors: a line each with file and line, "" if there are none; a file
 * counts up to its first error.
 */
const sw_vec *sw_device_user(void);
const char *sw_device_user_errors(void);

/*
 * Devices that a user describes in a text file:
 *
 *     # a comment
 *     name = My board        <- begins a device; must come first
 *     like = GeForce GTX 280 <- optional: all other values as of that one
 *     cc = 1.3
 *     sm_count = 24
 *     mem_size_mb = 512
 *
 * Keys are those of columns.def; l2_kb and mem_size_mb in KiB and MiB. `cc` and
 * `sm_count` must be known in the end. Appends a `const sw_device_info *` in
 * `arena` for each device to `out`. SW_E_FILE_NOT_FOUND, or SW_E_INVAL with
 * file and line in diag; `out` then keeps what was read before.
 */
sw_status sw_device_load_file(const char *path, sw_arena *arena, sw_vec *out,
                              sw_diag *diag);
/* The same from text; `file` is for messages. */
sw_status sw_device_load_text(sw_str text, const char *file, sw_arena *arena,
                              sw_vec *out, sw_diag *diag);

#endif
