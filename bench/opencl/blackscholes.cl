/* SPDX-License-Identifier: Apache-2.0 */
/* blackscholes.cl - as blackscholes.cu; RATE and VOLATILITY are given. */
float normal(float d)
{
    float k = 1 / (1 + 0.2316419f * fabs(d));
    float p = k * (0.319381530f +
                   k * (-0.356563782f +
                        k * (1.781477937f +
                             k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * exp(-0.5f * d * d) * p;
    return d > 0 ? 1 - tail : tail;
}

kernel void blackscholes(int n, global const float *price,
                         global const float *strike, global const float *years,
                         global float *call, global float *put)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float s = price[i], x = strike[i], t = years[i];
    float v = VOLATILITY * sqrt(t);
    float d1 = (log(s / x) + RATE * t) / v + 0.5f * v;
    float n1 = normal(d1), n2 = normal(d1 - v);
    float later = x * exp(-RATE * t);
    call[i] = s * n1 - later * n2;
    put[i] = later * (1 - n2) - s * (1 - n1);
}
