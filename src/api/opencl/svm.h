/* SPDX-License-Identifier: Apache-2.0 */
/* svm.h - shared virtual memory of a context. Any thread. */
#ifndef SW_API_OPENCL_SVM_H
#define SW_API_OPENCL_SVM_H
#include "api/opencl/ocl.h"

enum {
    SW_OCL_SVM_ALIGNMENT = 128, /* bytes: the largest type's, a long16 */
    SW_OCL_MIGRATION_FLAGS =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED
};

/* One allocation. */
typedef struct {
    uint64_t address, bytes;
    cl_svm_mem_flags flags;
} sw_ocl_svm;

/* The allocation around p; *out may be NULL. False: p is in none. */
bool sw_ocl_svm_find(cl_context context, const void *p, sw_ocl_svm *out);

#endif
