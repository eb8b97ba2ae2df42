# SPDX-License-Identifier: Apache-2.0
"""A kernel from PTX and arrays moved by hand: PyCUDA without a compiler; then,
if the nvcc that it finds is ours, what it compiles itself. The last line says
whether it is right."""
import shutil
import subprocess

import numpy
import pycuda.driver as cuda

PTX = b"""
.version 6.0
.target sm_50
.address_size 64
.visible .entry twice(.param .u64 p)
{
    .reg .b32 %r<2>; .reg .b64 %d<3>; .reg .f32 %f<2>;
    ld.param.u64 %d1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d1, %d1, %d2;
    ld.global.f32 %f1, [%d1];
    add.f32 %f1, %f1, %f1;
    st.global.f32 [%d1], %f1;
    ret;
}
"""
SOURCE = """
__global__ void halve(float *p, char unused, double by)
{
    p[threadIdx.x] /= (float)by;
}
"""


def compiled(a):
    from pycuda import gpuarray
    from pycuda.compiler import SourceModule
    from pycuda.elementwise import ElementwiseKernel
    from pycuda.reduction import ReductionKernel
    x = gpuarray.to_gpu(a)
    halve = SourceModule(SOURCE).get_function("halve")
    halve(x, numpy.int8(1), numpy.float64(2), block=(64, 1, 1))
    good = (x.get() == a / 2).all() and ((2 * x + 1).get() == a + 1).all()
    square = ElementwiseKernel("float *x, float *y", "y[i] = x[i] * x[i]")
    y = gpuarray.empty_like(x)
    square(x, y)
    largest = ReductionKernel(numpy.float32, neutral="0", map_expr="x[i]",
                              reduce_expr="max(a, b)", arguments="float *x")
    return (good and (y.get() == a * a / 4).all() and
            largest(y).get() == (a * a / 4).max() and
            gpuarray.sum(x).get() == a.sum() / 2)


def has_our_compiler():
    nvcc = shutil.which("nvcc")
    return nvcc and b"softwarp" in subprocess.check_output([nvcc, "--version"])


cuda.init()
context = cuda.Device(0).make_context()
try:
    a = numpy.arange(64, dtype=numpy.float32)
    p = cuda.mem_alloc(a.nbytes)
    cuda.memcpy_htod(p, a)
    cuda.module_from_buffer(PTX).get_function("twice")(p, block=(64, 1, 1))
    b = numpy.empty_like(a)
    cuda.memcpy_dtoh(b, p)
    good = (b == 2 * a).all()
    if has_our_compiler():
        good = good and compiled(a)
    else:
        print("no nvcc of ours: nothing was compiled")
finally:
    context.pop()
print("right" if good else "wrong")
