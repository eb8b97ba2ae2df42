/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - JSON text, for the subcommands that have --json. */
#include <stdio.h>

#include "tools.h"

void
sw_print_json(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            printf("\\%c", *text);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned)(unsigned char)*text);
        else
            putchar(*text);
    }
    putchar('"');
}
