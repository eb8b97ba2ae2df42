/* SPDX-License-Identifier: Apache-2.0 */
/* choose.c - which of a container's entries serve a device; see fatbin.h. */
#include "front/fatbin/fatbin.h"

/* The plain form first: it asks for nothing that only one chip has. */
static int
variant_rank(char variant)
{
    return variant == 0 ? 0 : variant == 'f' ? 1 : 2;
}

/* Is `a` the better choice for `cc`? False if they are equal. */
static bool
is_better(const sw_fatbin_entry *a, const sw_fatbin_entry *b, int cc)
{
    bool a_fits = (int64_t)a->arch <= cc, b_fits = (int64_t)b->arch <= cc;
    if (a_fits != b_fits)
        return a_fits;
    if (a->arch != b->arch)
        return a_fits ? a->arch > b->arch : a->arch < b->arch;
    return variant_rank(a->variant) < variant_rank(b->variant);
}

const sw_fatbin_entry *
sw_fatbin_choose(const sw_fatbin *fatbin, uint32_t module, int cc)
{
    const sw_fatbin_entry *best = NULL;
    for (uint32_t i = 0; i < fatbin->count; i++) {
        const sw_fatbin_entry *e = &fatbin->entries[i];
        if (e->module == module && e->kind == SW_FATBIN_PTX &&
            (!best || is_better(e, best, cc)))
            best = e;
    }
    return best;
}

/* Says that `module` has no PTX, what it has, and how to get some. */
static void
say_no_ptx(const sw_fatbin *fatbin, uint32_t module, sw_diag *diag)
{
    sw_buf text;
    uint32_t arch = 0;
    const char *sep = "";
    sw_buf_init(&text);
    for (uint32_t i = 0; i < fatbin->count; i++) {
        const sw_fatbin_entry *e = &fatbin->entries[i];
        if (e->module != module)
            continue;
        if (!arch || e->arch < arch)
            arch = e->arch;
        sw_buf_printf(&text, "%s%s for sm_%u", sep,
                      sw_fatbin_kind_name(e->kind), (unsigned)e->arch);
        if (e->variant)
            sw_buf_printf(&text, "%c", e->variant);
        sep = ", ";
    }
    sw_diag_add(diag, SW_DIAG_ERROR, "", 0, 0,
                "the program carries no PTX, only %s; compile it with -gencode "
                "arch=compute_%u,code=compute_%u to keep the PTX",
                text.p, (unsigned)arch, (unsigned)arch);
    sw_buf_finish(&text);
}

static bool
has_entries(const sw_fatbin *fatbin, uint32_t module)
{
    for (uint32_t i = 0; i < fatbin->count; i++)
        if (fatbin->entries[i].module == module)
            return true;
    return false;
}

sw_status
sw_fatbin_images(const sw_fatbin *fatbin, int cc, sw_vec *out, sw_diag *diag)
{
    const sw_fatbin_entry *whole = sw_fatbin_choose(fatbin, 0, cc);
    if (whole || fatbin->modules <= 1) {
        if (whole)
            *(const sw_fatbin_entry **)sw_vec_push(out) = whole;
        else if (fatbin->count)
            say_no_ptx(fatbin, 0, diag);
        return whole || !fatbin->count ? SW_OK : SW_E_NO_BINARY_FOR_GPU;
    }
    for (uint32_t m = 1; m < fatbin->modules; m++)
        if (has_entries(fatbin, m) && !sw_fatbin_choose(fatbin, m, cc)) {
            say_no_ptx(fatbin, m, diag);
            return SW_E_NO_BINARY_FOR_GPU;
        }
    for (uint32_t m = 1; m < fatbin->modules; m++) {
        const sw_fatbin_entry *e = sw_fatbin_choose(fatbin, m, cc);
        if (e)
            *(const sw_fatbin_entry **)sw_vec_push(out) = e;
    }
    return SW_OK;
}
