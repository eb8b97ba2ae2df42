// SPDX-License-Identifier: Apache-2.0
// C++ for OpenCL: templates, classes, references, operators.
// options: -cl-std=CLC++2021
// run: total
// arg: in s32 1 2 3 4
// arg: out s32 2
// expect: EXACT arg1: 20 -6
template <typename T> struct pair {
    T a, b;
    pair operator+(const pair &other) const
    {
        return {a + other.a, b + other.b};
    }
};

template <typename T> static T
twice(T x)
{
    return x + x;
}

kernel void
total(global const int *in, global int *out)
{
    pair<int> sum{0, 4};
    for (int i = 0; i < 4; i++)
        sum = sum + pair<int>{twice(in[i]), -in[i]};
    auto *to = out;
    to[0] = sum.a;
    to[1] = sum.b;
}
