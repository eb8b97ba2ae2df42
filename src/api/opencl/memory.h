/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.h - what the files that make and use memory objects share. Any thread.
 */
#ifndef SW_API_OPENCL_MEMORY_H
#define SW_API_OPENCL_MEMORY_H
#include "api/opencl/ocl.h"

enum {
    SW_OCL_BASE_ALIGNMENT = 512, /* bytes: of buffers; CL_DEVICE_MEM_BASE_ADDR_
                                    ALIGN, as NVIDIA's, is 4096 bits */
    SW_OCL_PITCH_ALIGNMENT = 32, /* pixels: of images made of buffers */
};

cl_ulong sw_ocl_max_allocation(cl_device_id device);

/* ---- memory.c ---- */

/* CL_INVALID_VALUE: unknown flags, or those that exclude each other;
 * CL_INVALID_HOST_PTR: host_ptr does not go with them. */
cl_int sw_ocl_check_flags(cl_mem_flags flags, const void *host_ptr);
/* The flags of an object made of another: what the program does not say is as
 * of the parent. CL_INVALID_VALUE: it says more than the parent allows. */
cl_int sw_ocl_inherit_flags(cl_mem_flags *flags, const struct _cl_mem *parent);
/* Only an empty list of properties is allowed. CL_INVALID_PROPERTY. */
cl_int sw_ocl_check_no_properties(const cl_mem_properties *properties);
/* An object without memory; NULL: no host memory. */
cl_mem sw_ocl_mem_create(cl_context context, cl_mem_object_type type,
                         cl_mem_flags flags);
/* Its memory, m->bytes, by its flags: the program's own, or some of the device
 * that begins with a copy of what host_ptr has. CL_MEM_OBJECT_ALLOCATION_
 * FAILURE. */
cl_int sw_ocl_mem_allocate(cl_mem m, void *host_ptr);

/* The live memory object that is a buffer; NULL for anything else. */
cl_mem sw_ocl_get_buffer(cl_mem handle);

/* Remembers that a region is mapped; false if it is not, to unmap. */
void sw_ocl_mapping_add(cl_mem m, void *address);
bool sw_ocl_mapping_remove(cl_mem m, void *address);
/* CL_INVALID_VALUE: of clEnqueueMap...; CL_INVALID_OPERATION: the host must
 * not. */
cl_int sw_ocl_check_map_flags(const struct _cl_mem *m, cl_map_flags flags);

/* ---- host_memory.c: the program's memory that kernels may access ---- */

/* NULL with *result an error, or CL_SUCCESS if nothing had to be done. Owned by
 * caller, sw_ocl_pieces_release. */
sw_ocl_pieces *sw_ocl_pieces_create(cl_context context, void *p, size_t bytes,
                                    cl_int *result);
void sw_ocl_pieces_release(sw_ocl_pieces *pieces);

/* ---- image.c ---- */

/* 0: no such format. */
size_t sw_ocl_format_bytes(const cl_image_format *format);
bool sw_ocl_format_is_supported(const cl_image_format *format,
                                cl_mem_object_type type, cl_mem_flags flags);
/* What kernels are told of it (cc/opencl.h), for a format that is supported. */
void sw_ocl_format_describe(const cl_image_format *format, sw_cl_image *out);
/* A color as clEnqueueFillImage has it, as one element. */
void sw_ocl_format_pack(const cl_image_format *format, const void *color,
                        void *element);
/* The list of clGetSupportedImageFormats; how many there are. */
cl_uint sw_ocl_format_list(cl_mem_object_type type, cl_mem_flags flags,
                           cl_uint room, cl_image_format *out);

cl_mem sw_ocl_get_image(cl_mem handle);
/* Bytes from a row to the next one as origins and regions count rows: those of
 * an array of 1D images are its images. */
size_t sw_ocl_image_row_step(const struct _cl_mem *image);
/* CL_INVALID_VALUE: the region is not in the image. */
cl_int sw_ocl_check_region(const struct _cl_mem *image, const size_t *origin,
                           const size_t *region);
uint64_t sw_ocl_texel_address(const struct _cl_mem *image,
                              const size_t *origin);

#endif
