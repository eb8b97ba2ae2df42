/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fuzz_fatbin.c - libFuzzer target: any bytes through the container and ELF
 * readers. Seeds are in tests/data/fatbin.
 */
#include "front/fatbin/elf.h"
#include "front/fatbin/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sw_arena *arena = sw_arena_create();
    sw_diag diag;
    sw_fatbin f;
    sw_elf elf;
    sw_elf_symbol symbol;
    sw_str name, bytes = {(const char *)data, size};
    sw_vec images;

    sw_diag_init(&diag);
    sw_vec_init(&images, sizeof(const sw_fatbin_entry *));
    if (sw_fatbin_parse(arena, data, size, &f, &diag) == SW_OK) {
        sw_fatbin_images(&f, 90, &images, &diag);
        for (uint32_t i = 0; i < f.count; i++) {
            size_t pos = 0;
            while (sw_fatbin_next_kernel(f.entries[i].data, &pos, &name))
                SW_ASSERT(name.n);
        }
    } else {
        SW_ASSERT(diag.errors && !f.count);
    }
    if (sw_elf_open(bytes, "", &elf, &diag) == SW_OK) {
        uint64_t symbols = 0, needed = 0;
        sw_elf_section section;
        while (sw_elf_next_symbol(&elf, &symbols, &symbol))
            SW_ASSERT(symbol.name.n);
        while (sw_elf_next_needed(&elf, &needed, &name))
            SW_ASSERT(name.n);
        sw_elf_find_section(&elf, ".nv_fatbin", &section);
    }
    sw_vec_finish(&images);
    sw_diag_finish(&diag);
    sw_arena_destroy(arena);
    return 0;
}
