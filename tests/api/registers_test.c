/* SPDX-License-Identifier: Apache-2.0 */
/* registers_test.c - where a fat binary has machine code for the device beside
 * its PTX, a kernel has the registers that are said there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>

#include "check.h"

/* Both kernels of the sm_75 code said to have so many: more than they need,
 * so no estimate. */
enum { REGISTERS = 77 };

static char image[1 << 16];

static bool
read_image(void)
{
    static const unsigned char head[] = {0x04, 0x2f, 0x08, 0x00};
    FILE *file = fopen("tests/data/fatbin/none.fatbin", "rb");
    size_t n = file ? fread(image, 1, sizeof image, file) : 0;
    int changed = 0;
    if (file)
        fclose(file);
    for (size_t i = 0; i + 12 <= n; i++)
        if (memcmp(image + i, head, sizeof head) == 0) {
            image[i + 8] = REGISTERS;
            changed++;
        }
    return changed == 2;
}

static int
registers_on(int ordinal, const char *kernel)
{
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction fn;
    int n = -1;
    CHECK_EQ(cuDeviceGet(&device, ordinal), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxRetain(&context, device), CUDA_SUCCESS);
    CHECK_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    CHECK_EQ(cuModuleLoadData(&module, image), CUDA_SUCCESS);
    CHECK_EQ(cuModuleGetFunction(&fn, module, kernel), CUDA_SUCCESS);
    CHECK_EQ(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, fn),
             CUDA_SUCCESS);
    CHECK_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    CHECK_EQ(cuDevicePrimaryCtxRelease(device), CUDA_SUCCESS);
    return n;
}

CASE(machine_code_of_the_device_says_how_many_registers)
{
    CHECK(read_image());
    setenv("SOFTWARP_DEVICES", "Tesla T4,NVIDIA H200,Tesla V100 SXM2 16 GB", 1);
    CHECK_EQ(cuInit(0), CUDA_SUCCESS);
    CHECK_EQ(registers_on(0, "scale"), REGISTERS);
    CHECK_EQ(registers_on(0, "_Z4fillPi"), REGISTERS);
    /* Another major capability, a lower minor one: PTX is all there is. */
    CHECK(registers_on(1, "scale") < REGISTERS);
    CHECK(registers_on(2, "scale") < REGISTERS);
}
