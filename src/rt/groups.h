/* SPDX-License-Identifier: Apache-2.0 */
/*
 * groups.h - device functions behind cooperative groups that some compilers
 * leave to the driver. No state; any thread.
 */
#ifndef SW_RT_GROUPS_H
#define SW_RT_GROUPS_H
#include "front/ptx/ptx.h"

/* It declares one of them and leaves it to be linked. */
bool sw_rt_wants_groups(const sw_module *part);
/* A module that defines them, weakly; owned by caller, sw_module_destroy. */
sw_module *sw_rt_groups_parse(sw_diag *diag);

#endif
