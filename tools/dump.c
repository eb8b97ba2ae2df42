/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump.c - `softwarp dump FILE`: the IR of a PTX file, or what the analyses
 * say of its functions.
 */
#include <stdio.h>
#include <string.h>

#include "front/ptx/ptx.h"
#include "opt/cfg.h"
#include "opt/liveness.h"
#include "tools.h"

static const char help[] =
    "usage: softwarp dump [--ir|--cfg|--live] FILE.ptx\n"
    "       softwarp dump --passes [--markdown]\n"
    "  --ir    the whole module as text (the default)\n"
    "  --cfg   blocks in the order of execution, dominators, loops\n"
    "  --live  registers that hold a value at both ends of each block\n"
    "  --passes  the passes over the IR, in their order, by the names that\n"
    "            SOFTWARP_DUMP_IR takes; --markdown: as docs/passes.md\n";

typedef enum { SHOW_IR, SHOW_CFG, SHOW_LIVE } view;

static void
put_blocks(sw_buf *out, const char *what, const uint32_t *list, uint32_t from,
           uint32_t to)
{
    if (from == to)
        return;
    sw_buf_printf(out, "  %s", what);
    for (uint32_t i = from; i < to; i++)
        sw_buf_printf(out, " %u", list[i]);
}

static void
put_block(sw_buf *out, const char *what, uint32_t block)
{
    if (block == SW_CFG_NONE)
        sw_buf_printf(out, "  %s -", what);
    else
        sw_buf_printf(out, "  %s %u", what, block);
}

static void
show_cfg(sw_buf *out, const sw_fn *fn, const sw_cfg *cfg)
{
    sw_buf_printf(out, "function %s: %u blocks, %u reachable, %u loops%s\n",
                  fn->name, cfg->count, cfg->reachable, cfg->loop_count - 1,
                  cfg->irreducible ? ", irreducible" : "");
    for (uint32_t l = 1; l < cfg->loop_count; l++) {
        const sw_loop *loop = &cfg->loops[l];
        sw_buf_printf(out,
                      "  loop %u  header %u  depth %u  inside %u  "
                      "positions %u to %u%s\n",
                      l, loop->header, loop->depth, loop->parent, loop->first,
                      loop->latch, loop->irreducible ? "  irreducible" : "");
    }
    for (uint32_t i = 0; i < cfg->count; i++) {
        uint32_t b = cfg->order[i];
        const char *label = fn->blocks[b]->label;
        sw_buf_printf(out, "  block %u  position %u  loop %u", b, cfg->sched[b],
                      cfg->loop[b]);
        put_block(out, "dominator", cfg->idom[b]);
        put_block(out, "post-dominator", cfg->ipdom[b]);
        put_blocks(out, "from", cfg->pred, cfg->pred_at[b],
                   cfg->pred_at[b + 1]);
        put_blocks(out, "to", cfg->succ, cfg->succ_at[b], cfg->succ_at[b + 1]);
        sw_buf_printf(out, "%s%s\n", label ? "  " : "", label ? label : "");
    }
}

static void
put_set(sw_buf *out, const char *what, const sw_fn *fn, const uint64_t *set)
{
    sw_buf_printf(out, "    %s", what);
    for (sw_reg r = 1; r < fn->reg_count; r++)
        if (set[r / 64] >> (r % 64) & 1) {
            const char *name = fn->regs[r].name;
            sw_buf_printf(out, " %s#%u", name ? name : "", r);
        }
    sw_buf_puts(out, "\n");
}

static void
show_live(sw_buf *out, const sw_fn *fn, const sw_cfg *cfg)
{
    sw_liveness *live = sw_liveness_create(fn, cfg);
    sw_buf_printf(out,
                  "function %s: at most %u 32-bit registers live "
                  "(%u b16, %u b32, %u b64, %u b128), %u predicates\n",
                  fn->name, live->max_live_words, live->max_live[SW_CLASS_B16],
                  live->max_live[SW_CLASS_B32], live->max_live[SW_CLASS_B64],
                  live->max_live[SW_CLASS_B128], live->max_live[SW_CLASS_PRED]);
    for (uint32_t b = 0; b < fn->block_count; b++) {
        sw_buf_printf(out, "  block %u\n", b);
        put_set(out, "in ", fn, live->in + b * live->words);
        put_set(out, "out", fn, live->out + b * live->words);
    }
    sw_liveness_destroy(live);
}

static void
show(sw_buf *out, const sw_module *module, view what)
{
    if (what == SHOW_IR) {
        sw_ir_print(module, out);
        return;
    }
    for (uint32_t i = 0; i < module->fn_count; i++) {
        const sw_fn *fn = module->fns[i];
        sw_cfg *cfg = sw_cfg_create(fn);
        if (what == SHOW_CFG)
            show_cfg(out, fn, cfg);
        else
            show_live(out, fn, cfg);
        sw_cfg_destroy(cfg);
    }
}

static int
dump(const char *file, view what)
{
    char *text;
    size_t bytes;
    if (sw_file_read(file, &text, &bytes) != SW_OK) {
        fprintf(stderr, "softwarp dump: error: %s can't be read\n", file);
        return 1;
    }
    sw_diag diag;
    sw_diag_init(&diag);
    sw_buf out, said;
    sw_buf_init(&out);
    sw_buf_init(&said);
    sw_module *module = sw_ptx_parse(file, text, bytes, &diag);
    sw_status status = SW_E_INVALID_PTX;
    if (module)
        status = sw_ir_verify(module, &diag);
    /* What breaks a rule is still worth seeing, but not worth analysing. */
    if (module && (status == SW_OK || what == SHOW_IR))
        show(&out, module, what);
    fwrite(out.p, 1, out.n, stdout);
    sw_diag_print(&diag, &said);
    fwrite(said.p, 1, said.n, stderr);
    sw_module_destroy(module);
    sw_buf_finish(&said);
    sw_buf_finish(&out);
    sw_diag_finish(&diag);
    sw_free(text);
    return status != SW_OK;
}

int
sw_tool_dump(int argc, char **argv)
{
    view what = SHOW_IR;
    const char *file = NULL;
    bool is_markdown = argc == 3 && !strcmp(argv[2], "--markdown");
    if (argc >= 2 && !strcmp(argv[1], "--passes") && (argc == 2 || is_markdown))
        return sw_dump_passes(is_markdown);
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (!strcmp(arg, "--help") || !strcmp(arg, "-h")) {
            fputs(help, stdout);
            return 0;
        }
        if (!strcmp(arg, "--ir")) {
            what = SHOW_IR;
        } else if (!strcmp(arg, "--cfg")) {
            what = SHOW_CFG;
        } else if (!strcmp(arg, "--live")) {
            what = SHOW_LIVE;
        } else if (*arg == '-' || file) {
            fprintf(stderr, "softwarp dump: error: '%s' is not understood\n%s",
                    arg, help);
            return 2;
        } else {
            file = arg;
        }
    }
    if (!file) {
        fputs(help, stderr);
        return 2;
    }
    return dump(file, what);
}
