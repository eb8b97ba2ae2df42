# SPDX-License-Identifier: Apache-2.0
"""Triton through our ptxas: a masked sum, softmax, a product of halves, and a
histogram, compared with what PyTorch computes on the host."""
import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    some = i < n
    tl.store(out + i, tl.load(x + i, mask=some) + tl.load(y + i, mask=some),
             mask=some)


@triton.jit
def softmax(out, x, n, SIZE: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, SIZE)
    v = tl.load(x + row * n + i, mask=i < n, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * n + i, e / tl.sum(e, axis=0), mask=i < n)


@triton.jit
def product(a, b, c, N, K, M: tl.constexpr, STEP: tl.constexpr):
    i = tl.program_id(0) * M + tl.arange(0, M)[:, None]
    j = tl.program_id(1) * M + tl.arange(0, M)[None, :]
    k = tl.arange(0, STEP)
    total = tl.zeros((M, M), dtype=tl.float32)
    for at in range(0, K, STEP):
        left = tl.load(a + i * K + (at + k)[None, :])
        right = tl.load(b + (at + k)[:, None] * N + j)
        total = tl.dot(left, right, total)
    tl.store(c + i * N + j, total)


@triton.jit
def count(x, bins, n, SIZE: tl.constexpr):
    i = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    some = i < n
    tl.atomic_add(bins + tl.load(x + i, mask=some, other=0), 1, mask=some)


def on_device(tensor):
    return tensor.to("cuda")


torch.manual_seed(1)
x, y = torch.rand(5000), torch.rand(5000)
out = torch.empty(5000, device="cuda")
add[(5,)](on_device(x), on_device(y), out, 5000, SIZE=1024)
assert torch.equal(out.cpu(), x + y)

x = torch.randn(20, 700)
out = torch.empty(20, 700, device="cuda")
softmax[(20,)](out, on_device(x), 700, SIZE=1024)
assert torch.allclose(out.cpu(), torch.softmax(x, 1), atol=1e-6)

a, b = torch.randn(128, 96).half(), torch.randn(96, 192).half()
out = torch.empty(128, 192, device="cuda")
product[(2, 3)](on_device(a), on_device(b), out, 192, 96, M=64, STEP=32)
assert torch.allclose(out.cpu(), a.float() @ b.float(), atol=1e-3)

x = torch.randint(0, 50, (3000,), dtype=torch.int32)
bins = on_device(torch.zeros(50, dtype=torch.int32))
count[(3,)](on_device(x), bins, 3000, SIZE=1024)
assert torch.equal(bins.cpu(), torch.bincount(x, minlength=50).int())

print("right")
