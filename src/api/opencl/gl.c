/* SPDX-License-Identifier: Apache-2.0 */
/* gl.c - memory shared with OpenGL and EGL: there is none, and each call says
 * so. */
#include "api/opencl/ocl.h"
/* clang-format off */
#include <CL/cl_gl.h>
#include <CL/cl_egl.h>
/* clang-format on */

static cl_mem
refuse(cl_context context, cl_int *errcode_ret)
{
    sw_ocl_set_error(errcode_ret, sw_ocl_get(context, SW_OCL_CONTEXT)
                                      ? CL_INVALID_OPERATION
                                      : CL_INVALID_CONTEXT);
    return NULL;
}

cl_mem
clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint bufobj,
                     cl_int *errcode_ret)
{
    (void)flags;
    (void)bufobj;
    return refuse(context, errcode_ret);
}

cl_mem
clCreateFromGLRenderbuffer(cl_context context, cl_mem_flags flags,
                           cl_GLuint renderbuffer, cl_int *errcode_ret)
{
    (void)flags;
    (void)renderbuffer;
    return refuse(context, errcode_ret);
}

cl_mem
clCreateFromGLTexture(cl_context context, cl_mem_flags flags, cl_GLenum target,
                      cl_GLint miplevel, cl_GLuint texture, cl_int *errcode_ret)
{
    (void)flags;
    (void)target;
    (void)miplevel;
    (void)texture;
    return refuse(context, errcode_ret);
}

cl_mem
clCreateFromGLTexture2D(cl_context context, cl_mem_flags flags,
                        cl_GLenum target, cl_GLint miplevel, cl_GLuint texture,
                        cl_int *errcode_ret)
{
    return clCreateFromGLTexture(context, flags, target, miplevel, texture,
                                 errcode_ret);
}

cl_mem
clCreateFromGLTexture3D(cl_context context, cl_mem_flags flags,
                        cl_GLenum target, cl_GLint miplevel, cl_GLuint texture,
                        cl_int *errcode_ret)
{
    return clCreateFromGLTexture(context, flags, target, miplevel, texture,
                                 errcode_ret);
}

static cl_int
refuse_object(cl_mem memobj)
{
    return sw_ocl_get(memobj, SW_OCL_MEM) ? CL_INVALID_GL_OBJECT
                                          : CL_INVALID_MEM_OBJECT;
}

cl_int
clGetGLObjectInfo(cl_mem memobj, cl_gl_object_type *gl_object_type,
                  cl_GLuint *gl_object_name)
{
    (void)gl_object_type;
    (void)gl_object_name;
    return refuse_object(memobj);
}

cl_int
clGetGLTextureInfo(cl_mem memobj, cl_gl_texture_info param_name,
                   size_t param_value_size, void *param_value,
                   size_t *param_value_size_ret)
{
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return refuse_object(memobj);
}

cl_int
clEnqueueAcquireGLObjects(cl_command_queue command_queue, cl_uint num_objects,
                          const cl_mem *mem_objects,
                          cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list, cl_event *event)
{
    (void)num_objects;
    (void)mem_objects;
    (void)num_events_in_wait_list;
    (void)event_wait_list;
    (void)event;
    return sw_ocl_get(command_queue, SW_OCL_QUEUE) ? CL_INVALID_CONTEXT
                                                   : CL_INVALID_COMMAND_QUEUE;
}

cl_int
clEnqueueReleaseGLObjects(cl_command_queue command_queue, cl_uint num_objects,
                          const cl_mem *mem_objects,
                          cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list, cl_event *event)
{
    return clEnqueueAcquireGLObjects(command_queue, num_objects, mem_objects,
                                     num_events_in_wait_list, event_wait_list,
                                     event);
}

cl_int
clGetGLContextInfoKHR(const cl_context_properties *properties,
                      cl_gl_context_info param_name, size_t param_value_size,
                      void *param_value, size_t *param_value_size_ret)
{
    (void)properties;
    (void)param_name;
    (void)param_value_size;
    (void)param_value;
    (void)param_value_size_ret;
    return CL_INVALID_OPERATION;
}

cl_event
clCreateEventFromGLsyncKHR(cl_context context, cl_GLsync sync,
                           cl_int *errcode_ret)
{
    (void)sync;
    refuse(context, errcode_ret);
    return NULL;
}

/* ---- EGL ---- */

cl_mem
clCreateFromEGLImageKHR(cl_context context, CLeglDisplayKHR egldisplay,
                        CLeglImageKHR eglimage, cl_mem_flags flags,
                        const cl_egl_image_properties_khr *properties,
                        cl_int *errcode_ret)
{
    (void)egldisplay;
    (void)eglimage;
    (void)flags;
    (void)properties;
    return refuse(context, errcode_ret);
}

cl_event
clCreateEventFromEGLSyncKHR(cl_context context, CLeglSyncKHR sync,
                            CLeglDisplayKHR display, cl_int *errcode_ret)
{
    (void)sync;
    (void)display;
    refuse(context, errcode_ret);
    return NULL;
}

cl_int
clEnqueueAcquireEGLObjectsKHR(cl_command_queue command_queue,
                              cl_uint num_objects, const cl_mem *mem_objects,
                              cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    return clEnqueueAcquireGLObjects(command_queue, num_objects, mem_objects,
                                     num_events_in_wait_list, event_wait_list,
                                     event);
}

cl_int
clEnqueueReleaseEGLObjectsKHR(cl_command_queue command_queue,
                              cl_uint num_objects, const cl_mem *mem_objects,
                              cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    return clEnqueueAcquireGLObjects(command_queue, num_objects, mem_objects,
                                     num_events_in_wait_list, event_wait_list,
                                     event);
}
