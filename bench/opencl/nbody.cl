/* SPDX-License-Identifier: Apache-2.0 */
/* nbody.cl - as nbody.cu; BLOCK and SOFTENING are given. */
kernel void nbody(global float4 *out, global const float4 *bodies, int n)
{
    local float4 tile[BLOCK];
    float4 me = bodies[get_global_id(0)];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += BLOCK) {
        tile[get_local_id(0)] = bodies[first + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < BLOCK; j++) {
            float4 p = tile[j];
            float dx = p.x - me.x, dy = p.y - me.y, dz = p.z - me.z;
            float r2 = dx * dx + dy * dy + dz * dz + SOFTENING;
            float inverse = rsqrt(r2);
            float s = p.w * inverse * inverse * inverse;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = (float4)(ax, ay, az, 0);
}
