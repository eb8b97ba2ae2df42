/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tool.h - the tools, a row of tool_list.def each. check.h says what a tool is;
 * each file that defines one says how it finds what it finds.
 */
#ifndef SW_CHECK_TOOL_H
#define SW_CHECK_TOOL_H
#include "check/check.h"

#define TOOL(name) extern const sw_check_tool_fns sw_check_tool_##name;
#include "check/tool_list.def"

#endif
