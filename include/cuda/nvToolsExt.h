/* SPDX-License-Identifier: Apache-2.0 */
/* nvToolsExt.h - see nvtx3/nvToolsExt.h. */
#pragma GCC system_header
#include "nvtx3/nvToolsExt.h"
