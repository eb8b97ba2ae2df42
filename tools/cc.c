/* SPDX-License-Identifier: Apache-2.0 */
/* cc.c - `softwarp cc`: the command around src/cc. */
#include "cc/cc.h"

#include "tools.h"

int
sw_tool_cc(int argc, char **argv)
{
    sw_cc_host host = {.out = stdout, .say_kernels = sw_tool_say_kernels};
    return sw_cc_main(argc, argv, &host);
}
