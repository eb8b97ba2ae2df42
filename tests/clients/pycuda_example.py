# SPDX-License-Identifier: Apache-2.0
"""A kernel from PTX and arrays moved by hand: PyCUDA without a compiler. The
last line says whether it is right."""
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
finally:
    context.pop()
print("right" if good else "wrong")
