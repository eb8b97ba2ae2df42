/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layout.h - magic numbers, offsets and flags of fat binaries, for the reader
 * and the writer of this folder only; fatbin.c explains them.
 */
#ifndef SW_FRONT_FATBIN_LAYOUT_H
#define SW_FRONT_FATBIN_LAYOUT_H
#include <stdint.h>

#define SW_FATBIN_MAGIC  UINT32_C(0xBA55ED50)
#define SW_WRAPPER_MAGIC UINT32_C(0x466243B1)

enum {
    SW_FATBIN_HEADER_BYTES = 16,
    SW_ENTRY_HEADER_BYTES = 64, /* at least */
    SW_ELF_CUDA = 190           /* e_machine */
};

/* Offsets in an entry header. */
enum {
    SW_ENTRY_KIND = 0,
    SW_ENTRY_VERSION = 2,
    SW_ENTRY_HEADER_SIZE = 4,
    SW_ENTRY_PAYLOAD_SIZE = 8,
    SW_ENTRY_PACKED_SIZE = 16,
    SW_ENTRY_OPTIONS = 20,
    SW_ENTRY_MINOR = 24,
    SW_ENTRY_MAJOR = 26,
    SW_ENTRY_ARCH = 28,
    SW_ENTRY_IDENT = 32,
    SW_ENTRY_FLAGS = 40,
    SW_ENTRY_UNPACKED_SIZE = 56
};

/* Bits of an entry's flags. */
#define SW_FLAG_64_BIT UINT64_C(0x1)
#define SW_FLAG_DEBUG  UINT64_C(0x2)
#define SW_FLAG_ALWAYS UINT64_C(0x10) /* in all that were seen */
#define SW_FLAG_LZ4    UINT64_C(0x2000)
#define SW_FLAG_ZSTD   UINT64_C(0x8000)
#define SW_FLAG_ARCH_A UINT64_C(0x100000) /* sm_90a */
#define SW_FLAG_ARCH_F UINT64_C(0x200000) /* sm_100f */
/* Ours, in what our linker makes: each entry is a module of its own. */
#define SW_FLAG_UNIT (UINT64_C(1) << 63)

#endif
