/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy.h - `softwarp occupancy` to itself: the kernels of a file, and
 * the three curves as text, SVG and JSON. One thread.
 */
#ifndef SW_TOOLS_OCCUPANCY_H
#define SW_TOOLS_OCCUPANCY_H
#include "base/base.h"
#include "device/device.h"
#include "softwarp/occupancy.h"

/* What is known of one kernel of a file; all in the arena given. */
typedef struct {
    const char *name;
    uint32_t threads; /* the most a block may have by its bounds; 0: none */
    bool is_required; /* blocks must have exactly so many */
    uint32_t static_smem;
    /* From machine code for code_arch (90), which the device would load; both
     * 0 if there is none. */
    uint32_t registers, code_arch;
    bool from_log; /* registers: of an assembler's output, not of code */
    /* From PTX; 0 if there is none (has_ptx false) or it can't be had. Bytes
     * a thread for what doesn't fit. */
    uint32_t estimate;
    uint32_t spill_stores, spill_loads, stack;
    bool has_ptx;
} occ_kernel;

/*
 * Appends an occ_kernel for each kernel of a program, object, library, fat
 * binary, cubin, PTX text, CUDA source (which is compiled), or what `ptxas -v`
 * has written. `limits` decide which machine code counts; estimates have at
 * most max_registers (0: no such bound). False with a sentence in diag.
 */
bool occ_kernels_read(const char *path, const sw_cc_limits *limits,
                      uint32_t max_registers, sw_arena *arena, sw_vec *out,
                      sw_diag *diag);

/* The registers that count: given by hand 0. *source: a few words. */
uint32_t occ_kernel_registers(const occ_kernel *k, uint32_t max_registers,
                              const char **source);

/* `ptxas -v` writes such lines. Appends its kernels for devices that `cc`
 * (times ten) can stand for. */
bool occ_is_log(sw_str text);
void occ_log_read(sw_str text, uint32_t cc, sw_arena *arena, sw_vec *out);

/* What is drawn. */
typedef struct {
    const char *title;
    int cc; /* times ten */
    sw_occupancy_launch launch;
    sw_occupancy_result result;
} occ_chart;

/* Each appends to `out`. JSON: an object of three arrays. */
void occ_chart_text(const occ_chart *chart, sw_buf *out);
void occ_chart_svg(const occ_chart *chart, sw_buf *out);
void occ_chart_json(const occ_chart *chart, sw_buf *out);

#endif
