/* SPDX-License-Identifier: Apache-2.0 */
/* event.h - events of commands, for those who make commands. Any thread. */
#ifndef SW_API_OPENCL_EVENT_H
#define SW_API_OPENCL_EVENT_H
#include "api/opencl/ocl.h"

/* Takes the operation over, if it does not return NULL (no memory). queue NULL:
 * a user event. */
cl_event sw_ocl_event_create(cl_context context, cl_command_queue queue,
                             cl_command_type type, sw_rt_op *op);
/* CL_QUEUED to CL_COMPLETE, or the error. */
cl_int sw_ocl_event_status(cl_event event);

#endif
