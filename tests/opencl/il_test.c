/* SPDX-License-Identifier: Apache-2.0 */
/* il_test.c - programs from SPIR-V, if its translator is installed. */
#include "check.h"
#include "opencl/fixture.h"

/*
 * The words of this text, as spirv-as makes them: p[x] = x + number, or the
 * negative of that.
 *
 *     OpCapability Addresses
 *     OpCapability Linkage
 *     OpCapability Kernel
 *     OpCapability Int64
 *     OpMemoryModel Physical64 OpenCL
 *     OpEntryPoint Kernel %k "set" %id
 *     OpDecorate %id BuiltIn GlobalInvocationId
 *     OpDecorate %id Constant
 *     OpDecorate %id LinkageAttributes "__spirv_BuiltInGlobalInvocationId"
 * Import OpDecorate %number SpecId 7 OpDecorate %negate SpecId 8 %uint =
 * OpTypeInt 32 0 %ulong = OpTypeInt 64 0 %bool = OpTypeBool %void = OpTypeVoid
 *     %ulong3 = OpTypeVector %ulong 3
 *     %number = OpSpecConstant %uint 5
 *     %negate = OpSpecConstantFalse %bool
 *     %zero = OpConstant %uint 0
 *     %pin3 = OpTypePointer Input %ulong3
 *     %ptr = OpTypePointer CrossWorkgroup %uint
 *     %fn = OpTypeFunction %void %ptr
 *     %id = OpVariable %pin3 Input
 *     %k = OpFunction %void None %fn
 *     %p = OpFunctionParameter %ptr
 *     %entry = OpLabel
 *     %id3 = OpLoad %ulong3 %id Aligned 32
 *     %x = OpCompositeExtract %ulong %id3 0
 *     %at = OpInBoundsPtrAccessChain %ptr %p %x
 *     %xi = OpUConvert %uint %x
 *     %sum = OpIAdd %uint %xi %number
 *     %negated = OpISub %uint %zero %sum
 *     %chosen = OpSelect %uint %negate %negated %sum
 *     OpStore %at %chosen Aligned 4
 *     OpReturn
 *     OpFunctionEnd
 */
static const cl_uint words[] = {
    0x07230203, 0x00010000, 0x00070000, 0x00000017, 0x00000000, 0x00020011,
    0x00000004, 0x00020011, 0x00000005, 0x00020011, 0x00000006, 0x00020011,
    0x0000000b, 0x0003000e, 0x00000002, 0x00000002, 0x0005000f, 0x00000006,
    0x00000001, 0x00746573, 0x00000002, 0x00040047, 0x00000002, 0x0000000b,
    0x0000001c, 0x00030047, 0x00000002, 0x00000016, 0x000d0047, 0x00000002,
    0x00000029, 0x70735f5f, 0x5f767269, 0x6c697542, 0x476e4974, 0x61626f6c,
    0x766e496c, 0x7461636f, 0x496e6f69, 0x00000064, 0x00000001, 0x00040047,
    0x00000003, 0x00000001, 0x00000007, 0x00040047, 0x00000004, 0x00000001,
    0x00000008, 0x00040015, 0x00000005, 0x00000020, 0x00000000, 0x00040015,
    0x00000006, 0x00000040, 0x00000000, 0x00020014, 0x00000007, 0x00020013,
    0x00000008, 0x00040017, 0x00000009, 0x00000006, 0x00000003, 0x00040032,
    0x00000005, 0x00000003, 0x00000005, 0x00030031, 0x00000007, 0x00000004,
    0x0004002b, 0x00000005, 0x0000000a, 0x00000000, 0x00040020, 0x0000000b,
    0x00000001, 0x00000009, 0x00040020, 0x0000000c, 0x00000005, 0x00000005,
    0x00040021, 0x0000000d, 0x00000008, 0x0000000c, 0x0004003b, 0x0000000b,
    0x00000002, 0x00000001, 0x00050036, 0x00000008, 0x00000001, 0x00000000,
    0x0000000d, 0x00030037, 0x0000000c, 0x0000000e, 0x000200f8, 0x0000000f,
    0x0006003d, 0x00000009, 0x00000010, 0x00000002, 0x00000002, 0x00000020,
    0x00050051, 0x00000006, 0x00000011, 0x00000010, 0x00000000, 0x00050046,
    0x0000000c, 0x00000012, 0x0000000e, 0x00000011, 0x00040071, 0x00000005,
    0x00000013, 0x00000011, 0x00050080, 0x00000005, 0x00000014, 0x00000013,
    0x00000003, 0x00050082, 0x00000005, 0x00000015, 0x0000000a, 0x00000014,
    0x000600a9, 0x00000005, 0x00000016, 0x00000004, 0x00000015, 0x00000014,
    0x0005003e, 0x00000012, 0x00000016, 0x00000002, 0x00000004, 0x000100fd,
    0x00010038,
};

enum { NUMBER = 7, NEGATE = 8, N = 4 }; /* numbers of constants */

/* False where devices take no SPIR-V; then creating a program says so. */
static bool
start(void)
{
    char version[64] = "";
    open_device();
    clGetDeviceInfo(device, CL_DEVICE_IL_VERSION, sizeof version, version,
                    NULL);
    if (*version)
        return true;
    CHECK(!clCreateProgramWithIL(context, words, sizeof words, &err));
    CHECK_EQ(err, CL_INVALID_OPERATION);
    close_device();
    return false;
}

static cl_program
program_of_il(void)
{
    cl_program p = clCreateProgramWithIL(context, words, sizeof words, &err);
    CHECK_EQ(err, CL_SUCCESS);
    return p;
}

static void
run_set(cl_program p, cl_int *out)
{
    cl_mem m = buffer_of(N * sizeof *out, NULL);
    cl_kernel k = clCreateKernel(p, "set", &err);
    CHECK_EQ(err, CL_SUCCESS);
    clSetKernelArg(k, 0, sizeof m, &m);
    CHECK_EQ(run_1d(k, N, 0), CL_SUCCESS);
    clEnqueueReadBuffer(queue, m, CL_TRUE, 0, N * sizeof *out, out, 0, NULL,
                        NULL);
    clReleaseKernel(k);
    clReleaseMemObject(m);
}

CASE(spirv_is_a_program)
{
    cl_int out[N];
    size_t bytes = 0;
    cl_uint again[sizeof words / 4];
    if (!start())
        return;
    cl_program p = program_of_il();
    clGetProgramInfo(p, CL_PROGRAM_IL, 0, NULL, &bytes);
    CHECK_EQ(bytes, sizeof words);
    clGetProgramInfo(p, CL_PROGRAM_IL, sizeof again, again, NULL);
    CHECK(!memcmp(again, words, sizeof words));
    CHECK_EQ(clBuildProgram(p, 1, &device, NULL, NULL, NULL), CL_SUCCESS);
    run_set(p, out);
    CHECK_EQ(out[0], 5);
    CHECK_EQ(out[3], 8);
    clReleaseProgram(p);
    close_device();
}

CASE(constants_are_specialized)
{
    cl_int out[N], forty = 40;
    cl_uchar yes = 1;
    if (!start())
        return;
    cl_program p = program_of_il();
    CHECK_EQ(clSetProgramSpecializationConstant(p, NUMBER, 4, &forty),
             CL_SUCCESS);
    CHECK_EQ(clSetProgramSpecializationConstant(p, NEGATE, 1, &yes),
             CL_SUCCESS);
    CHECK_EQ(clSetProgramSpecializationConstant(p, 99, 4, &forty),
             CL_INVALID_SPEC_ID);
    CHECK_EQ(clSetProgramSpecializationConstant(p, NUMBER, 8, &forty),
             CL_INVALID_VALUE);
    CHECK_EQ(clSetProgramSpecializationConstant(p, NUMBER, 4, NULL),
             CL_INVALID_VALUE);
    CHECK_EQ(clBuildProgram(p, 1, &device, NULL, NULL, NULL), CL_SUCCESS);
    run_set(p, out);
    CHECK_EQ(out[0], -40);
    CHECK_EQ(out[3], -43);
    clReleaseProgram(p);
    close_device();
}

CASE(spirv_is_linked_with_source)
{
    cl_int out[N];
    if (!start())
        return;
    const char *source = "kernel void other(global int *p) { *p = 1; }";
    cl_program parts[2] = {
        program_of_il(),
        clCreateProgramWithSource(context, 1, &source, NULL, &err)};
    for (int i = 0; i < 2; i++)
        CHECK_EQ(clCompileProgram(parts[i], 0, NULL, NULL, 0, NULL, NULL, NULL,
                                  NULL),
                 CL_SUCCESS);
    cl_program p =
        clLinkProgram(context, 0, NULL, NULL, 2, parts, NULL, NULL, &err);
    CHECK_EQ(err, CL_SUCCESS);
    size_t kernels = 0;
    clGetProgramInfo(p, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL);
    CHECK_EQ(kernels, 2);
    run_set(p, out);
    CHECK_EQ(out[3], 8);
    clReleaseProgram(p);
    clReleaseProgram(parts[0]);
    clReleaseProgram(parts[1]);
    close_device();
}

CASE(what_is_no_spirv_is_refused)
{
    cl_uint wrong[sizeof words / 4];
    if (!start())
        return;
    CHECK(!clCreateProgramWithIL(context, words, 0, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    CHECK(!clCreateProgramWithIL(context, words, 18, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    memcpy(wrong, words, sizeof words);
    wrong[0] = 1;
    CHECK(!clCreateProgramWithIL(context, wrong, sizeof wrong, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    /* An instruction that goes on behind the end. */
    memcpy(wrong, words, sizeof words);
    wrong[sizeof words / 4 - 1] |= 7u << 16;
    CHECK(!clCreateProgramWithIL(context, wrong, sizeof wrong, &err));
    CHECK_EQ(err, CL_INVALID_VALUE);
    /* One that the translator finds: the build fails, and its log says why. */
    memcpy(wrong, words, sizeof words);
    wrong[5] = 0x0002ffff;
    cl_program p = clCreateProgramWithIL(context, wrong, sizeof wrong, &err);
    CHECK_EQ(err, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(p, 1, &device, NULL, NULL, NULL),
             CL_BUILD_PROGRAM_FAILURE);
    size_t bytes = 0;
    clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    CHECK(bytes > 1);
    clReleaseProgram(p);
    close_device();
}
