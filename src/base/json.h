/* SPDX-License-Identifier: Apache-2.0 */
/* json.h - text as JSON has it. */
#ifndef SW_BASE_JSON_H
#define SW_BASE_JSON_H
#include "base/base.h"

/* As a string of JSON, in its quotes. `<` is written as a number, so that the
 * string may stand inside a page. */
void sw_buf_put_json(sw_buf *buf, const char *text);

#endif
