/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_config.h - by another name, host_defines.h, which programs should include.
 */
#ifndef __HOST_CONFIG_H__
#define __HOST_CONFIG_H__
#include "host_defines.h"
#endif
