/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy.h - `softwarp occupancy` to itself: the kernels of a file, and
 * the three curves as text, SVG and JSON. One thread.
 */
#ifndef SW_TOOLS_OCCUPANCY_H
#define SW_TOOLS_OCCUPANCY_H
#include "base/base.h"
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
    /* From PTX; 0 if there is none (has_ptx false) or it can't be had. */
    uint32_t estimate;
    bool has_ptx;
} occ_kernel;

/*
 * Appends an occ_kernel for each kernel of a program, object, library, fat
 * binary, cubin, PTX text or CUDA source (which is compiled). `cc` (times ten)
 * decides which machine code counts. False with a sentence in diag.
 */
bool occ_kernels_read(const char *path, uint32_t cc, sw_arena *arena,
                      sw_vec *out, sw_diag *diag);

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
