/* SPDX-License-Identifier: Apache-2.0 */
/* predict.h - inside `softwarp predict`. */
#ifndef SW_TOOLS_PREDICT_H
#define SW_TOOLS_PREDICT_H
#include "base/base.h"

/* Prints what has moved since an earlier run, kernel by kernel and device by
 * device: `path` is its --json FILE, `now` this run's text. False after saying
 * on stderr that the file cannot be read or is none. */
bool sw_predict_diff(const char *path, const sw_buf *now);

#endif
