/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - see json.h. */
#include "base/json.h"

void
sw_buf_put_json(sw_buf *buf, const char *text)
{
    sw_buf_put(buf, '"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            sw_buf_put(buf, '\\');
        if (c < ' ' || c == '<')
            sw_buf_printf(buf, "\\u%04x", c);
        else
            sw_buf_put(buf, *text);
    }
    sw_buf_put(buf, '"');
}
