/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - JSON text, for the subcommands that have --json. */
#include <stdio.h>

#include "base/base.h"
#include "base/json.h"
#include "tools.h"

void
sw_print_json(const char *text)
{
    sw_buf buf;
    sw_buf_init(&buf);
    sw_buf_put_json(&buf, text);
    fputs(buf.p, stdout);
    sw_buf_finish(&buf);
}
