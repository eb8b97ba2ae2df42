/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_ptx.c - any bytes as PTX: the front end says what is wrong or makes a
 * module that the verifier accepts. */
#include <stdio.h>
#include <stdlib.h>

#include "front/ptx/ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    sw_diag diag;
    sw_diag_init(&diag);
    sw_module *module =
        sw_ptx_parse("fuzz.ptx", (const char *)data, bytes, &diag);
    SW_ASSERT(module || diag.errors);
    if (module && sw_ir_verify(module, &diag) != SW_OK) {
        sw_buf text;
        sw_buf_init(&text);
        sw_diag_print(&diag, &text);
        fputs(text.p, stderr);
        abort();
    }
    sw_module_destroy(module);
    sw_diag_finish(&diag);
    return 0;
}
