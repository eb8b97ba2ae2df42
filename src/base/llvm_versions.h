/* SPDX-License-Identifier: Apache-2.0 */
/*
 * llvm_versions.h - which versions of LLVM and clang we work with, and what
 * differs between them of what we rely on. Scripts and CMake read the first two
 * lines below. Whoever includes this compares with the version that counts
 * there: the compiler of kernels with LLVM_VERSION_MAJOR of the LLVM it is
 * built with, `softwarp cc` with that of the clang it has found.
 */
#ifndef SW_BASE_LLVM_VERSIONS_H
#define SW_BASE_LLVM_VERSIONS_H

/* We take the oldest of these and those between that there is; a newer one
 * where none of them is. All tests have passed with 19, some with 21 and 22. */
#define SW_LLVM_OLDEST 19
#define SW_LLVM_NEWEST 22

/* The first version in which it is so. */
enum {
    /* Masked loads and stores have their alignment as an attribute of the
     * pointer, no longer as an argument. */
    SW_LLVM_ALIGNS_MASKED_BY_ATTRIBUTE = 22,
};

#endif
