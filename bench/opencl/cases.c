/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases.c - the kernels of the suite that OpenCL runs as well:
 *
 *     cases DIRECTORY PLATFORM [argument of any program of the suite...]
 *
 * DIRECTORY has the .cl files; PLATFORM is part of a platform's name. Exit
 * status 77 if there is no such platform.
 */
#include "host.h"

#include "../problems/bilinear.h"
#include "../problems/blackscholes.h"
#include "../problems/conv2d.h"
#include "../problems/fd3d.h"
#include "../problems/histogram.h"
#include "../problems/mandelbrot.h"
#include "../problems/matmul.h"
#include "../problems/nbody.h"
#include "../problems/reduction.h"
#include "../problems/scan.h"
#include "../problems/sort.h"
#include "../problems/spmv.h"
#include "../problems/transpose.h"
#include "../problems/vectors.h"

static char *
options(const char *format, ...)
{
    char *text = (char *)bench_alloc(256, 1);
    va_list list;
    va_start(list, format);
    vsnprintf(text, 256, format, list);
    va_end(list);
    return text;
}

static void
empty(void)
{
    const space s = {1, {64}, {64}};
    cl_build("vectors", "");
    bench b = bench_start("empty", 0, 0);
    cl_time(&b, cl_kernel_of("empty", ""), &s);
    cl_end(&b, true); /* a launch that failed has ended the process */
}

static void
vecadd(void)
{
    vectors v = vectors_create();
    size_t bytes = v.n * sizeof(float);
    space s = {1, {v.n}, {VECTORS_BLOCK}};
    cl_mem z = cl_buffer(NULL, bytes);
    cl_build("vectors", "");
    bench b = bench_start("vecadd", 12.0 * (double)v.n, (double)v.n);
    cl_time(&b,
            cl_kernel_of("vecadd", "lbbb", v.n, cl_buffer(v.x, bytes),
                         cl_buffer(v.y, bytes), z),
            &s);
    cl_end(&b, vectors_check_add(&v, cl_read(z, bytes)));
}

static void
saxpy(void)
{
    vectors v = vectors_create();
    size_t bytes = v.n * sizeof(float);
    space s = {1, {v.n}, {VECTORS_BLOCK}};
    cl_mem y = cl_buffer(v.y, bytes);
    cl_build("vectors", "");
    bench b = bench_start("saxpy", 12.0 * (double)v.n, 2.0 * (double)v.n);
    cl_time(&b,
            cl_kernel_of("saxpy", "lfbb", v.n, (double)SAXPY_A,
                         cl_buffer(v.x, bytes), y),
            &s);
    cl_end(&b, vectors_check_saxpy(&v, cl_read(y, bytes), b.runs));
}

static void
copy(void)
{
    vectors v = vectors_create();
    size_t bytes = v.n * sizeof(float);
    space s = {1, {v.n}, {VECTORS_BLOCK}};
    cl_mem y = cl_buffer(NULL, bytes);
    cl_build("vectors", "");
    bench b = bench_start("copy", 8.0 * (double)v.n, 0);
    cl_time(&b, cl_kernel_of("copy", "lbb", v.n, cl_buffer(v.x, bytes), y), &s);
    cl_end(&b, bench_same(cl_read(y, bytes), v.x, v.n, sizeof(float)));
}

static void
run_transpose(const char *name)
{
    enum { TILE = TRANSPOSE_TILE, ROWS = TRANSPOSE_ROWS };
    transpose t = transpose_create();
    size_t all = t.n * t.n, bytes = all * sizeof(float);
    space s = {2, {t.n, t.n / TILE * ROWS}, {TILE, ROWS}};
    cl_mem out = cl_buffer(NULL, bytes);
    cl_build("transpose", options("-DTILE=%d -DROWS=%d", TILE, ROWS));
    bench b = bench_start(name, 8.0 * (double)all, 0);
    cl_time(
        &b,
        cl_kernel_of(name, "bbi", out, cl_buffer(t.in, bytes), (unsigned)t.n),
        &s);
    const float *got = cl_read(out, bytes);
    cl_end(&b, strcmp(name, "tr_copy") == 0
                   ? bench_same(got, t.in, all, sizeof *got)
                   : transpose_check(&t, got));
}

static void
run_reduction(const char *name, bool by_block)
{
    reduction r = reduction_create();
    size_t bytes = r.parts * sizeof(float);
    space s = {1, {by_block ? r.n : r.parts}, {REDUCTION_BLOCK}};
    cl_mem out = cl_buffer(NULL, bytes);
    cl_build("reduction",
             options("-DBLOCK=%d -DRUN=%d", REDUCTION_BLOCK, REDUCTION_RUN));
    bench b = bench_start(name, 4.0 * (double)r.n, (double)r.n);
    cl_time(&b,
            cl_kernel_of(name, "bbi", cl_buffer(r.in, r.n * sizeof(float)), out,
                         (unsigned)r.n),
            &s);
    cl_end(&b, reduction_check(&r, cl_read(out, bytes), r.parts));
}

static void
run_matmul(const char *name)
{
    matmul m = matmul_create();
    size_t bytes = m.n * m.n * sizeof(float);
    space s = {2, {m.n, m.n}, {MATMUL_TILE, MATMUL_TILE}};
    cl_mem c = cl_buffer(NULL, bytes);
    cl_build("matmul", options("-DTILE=%d", MATMUL_TILE));
    bench b = bench_start(name, 12.0 * (double)(m.n * m.n), m.flops);
    cl_time(&b,
            cl_kernel_of(name, "bbbi", c, cl_buffer(m.a, bytes),
                         cl_buffer(m.b, bytes), (unsigned)m.n),
            &s);
    cl_end(&b, matmul_check(&m, cl_read(c, bytes)));
}

static void
run_mandelbrot(void)
{
    mandelbrot m = mandelbrot_create();
    size_t bytes = m.n * m.n * sizeof(int);
    space s = {2, {m.n, m.n}, {MANDELBROT_BLOCK, MANDELBROT_BLOCK}};
    cl_mem out = cl_buffer(NULL, bytes);
    cl_build("mandelbrot",
             options("-DLIMIT=%d -DLEFT=%.1ff -DTOP=%.1ff", MANDELBROT_LIMIT,
                     (double)MANDELBROT_LEFT, (double)MANDELBROT_TOP));
    bench b = bench_start("mandelbrot", 4.0 * (double)(m.n * m.n), m.flops);
    cl_time(&b,
            cl_kernel_of("mandelbrot", "bif", out, (unsigned)m.n,
                         (double)(MANDELBROT_SIDE / (float)m.n)),
            &s);
    cl_end(&b, mandelbrot_check(&m, cl_read(out, bytes)));
}

static void
run_nbody(void)
{
    nbody n = nbody_create();
    size_t bytes = 4 * n.n * sizeof(float);
    space s = {1, {n.n}, {NBODY_BLOCK}};
    cl_mem out = cl_buffer(NULL, bytes);
    cl_build("nbody", options("-DBLOCK=%d -DSOFTENING=%.9gf", NBODY_BLOCK,
                              (double)NBODY_SOFTENING));
    bench b = bench_start("nbody", 32.0 * (double)n.n, n.flops);
    cl_time(&b,
            cl_kernel_of("nbody", "bbi", out, cl_buffer(n.bodies, bytes),
                         (unsigned)n.n),
            &s);
    cl_end(&b, nbody_check(&n, cl_read(out, bytes)));
}

static void
run_blackscholes(void)
{
    blackscholes o = blackscholes_create();
    size_t bytes = o.n * sizeof(float);
    space s = {1, {o.n}, {BLACKSCHOLES_BLOCK}};
    cl_mem call = cl_buffer(NULL, bytes), put = cl_buffer(NULL, bytes);
    cl_build("blackscholes", options("-DRATE=%.9gf -DVOLATILITY=%.9gf",
                                     (double)BLACKSCHOLES_RATE,
                                     (double)BLACKSCHOLES_VOLATILITY));
    bench b = bench_start("blackscholes", 20.0 * (double)o.n, 0);
    cl_time(&b,
            cl_kernel_of("blackscholes", "ibbbbb", (unsigned)o.n,
                         cl_buffer(o.price, bytes), cl_buffer(o.strike, bytes),
                         cl_buffer(o.years, bytes), call, put),
            &s);
    cl_end(&b,
           blackscholes_check(&o, cl_read(call, bytes), cl_read(put, bytes)));
}

static void
run_fd3d(const char *name, bool all_planes)
{
    fd3d f = fd3d_create();
    size_t bytes = f.all * sizeof(float);
    space s = {
        all_planes ? 2 : 3, {f.x, f.y, f.z}, {FD3D_BLOCK_X, FD3D_BLOCK_Y, 1}};
    cl_mem out = cl_buffer(NULL, bytes);
    cl_build("fd3d", options("-DR=%d -DBX=%d -DBY=%d", FD3D_RADIUS,
                             FD3D_BLOCK_X, FD3D_BLOCK_Y));
    bench b =
        bench_start(name, 8.0 * (double)f.inside, 33.0 * (double)f.inside);
    cl_time(&b,
            cl_kernel_of(name, "bbiiib", out, cl_buffer(f.in, bytes),
                         (unsigned)f.row, (unsigned)f.plane, (unsigned)f.z,
                         cl_buffer(f.weight, sizeof f.weight)),
            &s);
    cl_end(&b, fd3d_check(&f, cl_read(out, bytes)));
}

static void
run_spmv(const char *name, size_t items_a_row)
{
    spmv m = spmv_create();
    size_t bytes = m.rows * sizeof(float), all = m.nnz * sizeof(float);
    space s = {1, {m.rows * items_a_row}, {SPMV_BLOCK}};
    cl_mem y = cl_buffer(NULL, bytes);
    cl_build("spmv", options("-DBLOCK=%d", SPMV_BLOCK));
    bench b = bench_start(name, 8.0 * (double)m.nnz + 12.0 * (double)m.rows,
                          2.0 * (double)m.nnz);
    cl_time(&b,
            cl_kernel_of(name, "ibbbbb", (unsigned)m.rows,
                         cl_buffer(m.start, (m.rows + 1) * sizeof(int)),
                         cl_buffer(m.column, all), cl_buffer(m.value, all),
                         cl_buffer(m.x, bytes), y),
            &s);
    cl_end(&b, spmv_check(&m, cl_read(y, bytes)));
}

static void
run_histogram(void)
{
    histogram h = histogram_create();
    unsigned zeros[HISTOGRAM_BINS] = {0};
    space s = {
        1, {HISTOGRAM_BLOCKS * (size_t)HISTOGRAM_BLOCK}, {HISTOGRAM_BLOCK}};
    cl_mem out = cl_buffer(zeros, sizeof zeros);
    cl_build("histogram", options("-DBINS=%d", HISTOGRAM_BINS));
    cl_kernel k = cl_kernel_of("histogram", "bbi", out, cl_buffer(h.in, h.n),
                               (unsigned)(h.n / 4));
    bench b = bench_start("histogram", (double)h.n, 0);
    while (bench_next(&b)) {
        cl_write(out, zeros, sizeof zeros);
        bench_go(&b);
        cl_launch(k, &s);
        cl_wait();
    }
    clReleaseKernel(k);
    cl_end(&b, histogram_check(&h, cl_read(out, sizeof zeros)));
}

/* Queues the kernel after setting its second and third argument. */
static void
launch_step(cl_kernel k, const space *s, unsigned second, unsigned third)
{
    CL(clSetKernelArg(k, 1, sizeof second, &second));
    CL(clSetKernelArg(k, 2, sizeof third, &third));
    cl_launch(k, s);
}

static void
run_bitonic(void)
{
    enum { TILE = 2 * BITONIC_BLOCK };
    sort keys = sort_create(bench_size(1 << 20, 1 << 14));
    size_t bytes = keys.n * sizeof *keys.keys;
    unsigned n = (unsigned)keys.n;
    space s = {1, {keys.n / 2}, {BITONIC_BLOCK}};
    cl_mem buffer = cl_buffer(NULL, bytes);
    cl_build("bitonic", options("-DBLOCK=%d", BITONIC_BLOCK));
    cl_kernel tile = cl_kernel_of("bitonic_tile", "b", buffer);
    cl_kernel step = cl_kernel_of("bitonic_step", "b", buffer);
    bench b = bench_start("bitonic", 8.0 * (double)keys.n, 0);
    while (bench_next(&b)) {
        cl_write(buffer, keys.keys, bytes);
        bench_go(&b);
        launch_step(tile, &s, 2, TILE);
        for (unsigned run = 2 * TILE; run <= n; run *= 2) {
            for (unsigned by = run / 2; by > TILE / 2; by /= 2)
                launch_step(step, &s, run, by);
            launch_step(tile, &s, run, run);
        }
        cl_wait();
    }
    clReleaseKernel(tile);
    clReleaseKernel(step);
    cl_end(&b, sort_check(&keys, cl_read(buffer, bytes)));
}

/* The three levels: the array, the sums of its groups, the sums of those. */
static void
run_scan(const char *name, unsigned group, bool inclusive)
{
    enum { LEVELS = 3 };
    scan a = scan_create();
    size_t bytes = a.n * sizeof *a.in;
    unsigned n[LEVELS + 1] = {(unsigned)a.n};
    cl_mem in = cl_buffer(a.in, bytes), first = cl_buffer(NULL, bytes);
    cl_mem out = first;
    cl_kernel scans[LEVELS], adds[LEVELS] = {NULL};
    space items[LEVELS], flat[LEVELS];
    cl_build("scan", options("-DBLOCK=%d", SCAN_BLOCK));
    for (int l = 0; l < LEVELS; l++) {
        n[l + 1] = (n[l] + group - 1) / group;
        cl_mem sums = cl_buffer(NULL, n[l + 1] * sizeof *a.in);
        cl_mem above = cl_buffer(NULL, n[l + 1] * sizeof *a.in);
        scans[l] = cl_kernel_of(name, "bbbi", out, sums, in, n[l]);
        adds[l] = cl_kernel_of("add_sums", "bbiii", out, above, n[l], group,
                               (unsigned)inclusive);
        items[l] = (space){1, {n[l + 1] * (size_t)SCAN_BLOCK}, {SCAN_BLOCK}};
        flat[l] =
            (space){1,
                    {(n[l] + SCAN_BLOCK - 1) / SCAN_BLOCK * (size_t)SCAN_BLOCK},
                    {SCAN_BLOCK}};
        in = sums;
        out = above;
    }
    bench b = bench_start(name, 8.0 * (double)a.n, (double)a.n);
    while (bench_next(&b)) {
        for (int l = 0; l < LEVELS; l++)
            cl_launch(scans[l], &items[l]);
        for (int l = LEVELS - 1; l-- > 0;)
            cl_launch(adds[l], &flat[l]);
        cl_wait();
    }
    for (int l = 0; l < LEVELS; l++) {
        clReleaseKernel(scans[l]);
        clReleaseKernel(adds[l]);
    }
    cl_end(&b, scan_check(&a, cl_read(first, bytes), inclusive));
}

static void
run_conv2d(const char *name, bool from_image)
{
    conv2d c = conv2d_create();
    double pixels = (double)(c.n * c.n);
    size_t bytes = 4 * c.n * c.n * sizeof(float);
    space s = {2, {c.n, c.n}, {CONV2D_BLOCK, CONV2D_BLOCK}};
    cl_mem out = cl_buffer(NULL, bytes);
    cl_mem in =
        from_image ? cl_image(c.in, c.n, CL_FLOAT) : cl_buffer(c.in, bytes);
    cl_build("conv2d",
             options("-DSIDE=%d -DRADIUS=%d", CONV2D_SIDE, CONV2D_RADIUS));
    bench b = bench_start(name, 32 * pixels,
                          8.0 * CONV2D_SIDE * CONV2D_SIDE * pixels);
    cl_time(&b,
            cl_kernel_of(name, "bbib", out, in, (unsigned)c.n,
                         cl_buffer(c.weight, sizeof c.weight)),
            &s);
    cl_end(&b, conv2d_check(&c, cl_read(out, bytes)));
}

static void
img_bilinear(void)
{
    bilinear i = bilinear_create();
    space s = {2, {i.n, i.n}, {BILINEAR_BLOCK, BILINEAR_BLOCK}};
    cl_mem out = cl_buffer(NULL, 4 * i.n * i.n);
    cl_build("bilinear", options("-DCOS=%.9gf -DSIN=%.9gf",
                                 (double)BILINEAR_COS, (double)BILINEAR_SIN));
    bench b = bench_start("img_bilinear", 8.0 * (double)(i.n * i.n), 0);
    cl_time(&b,
            cl_kernel_of("img_bilinear", "bbi", out,
                         cl_image(i.in, i.n, CL_UNORM_INT8), (unsigned)i.n),
            &s);
    cl_end(&b, bilinear_check(&i, cl_read(out, 4 * i.n * i.n)));
}

#define CASE(name, call)                                                       \
    static void case_##name(void)                                              \
    {                                                                          \
        call;                                                                  \
    }
CASE(tr_copy, run_transpose("tr_copy"))
CASE(tr_naive, run_transpose("tr_naive"))
CASE(tr_coalesced, run_transpose("tr_coalesced"))
CASE(tr_padded, run_transpose("tr_padded"))
CASE(tr_diagonal, run_transpose("tr_diagonal"))
CASE(red_interleaved, run_reduction("red_interleaved", false))
CASE(red_coalesced, run_reduction("red_coalesced", false))
CASE(red_divergent, run_reduction("red_divergent", true))
CASE(red_sequential, run_reduction("red_sequential", true))
CASE(matmul_naive, run_matmul("matmul_naive"))
CASE(matmul_tiled, run_matmul("matmul_tiled"))
CASE(fd3d_naive, run_fd3d("fd3d_naive", false))
CASE(fd3d_tiled, run_fd3d("fd3d_tiled", true))
CASE(spmv_scalar, run_spmv("spmv_scalar", 1))
CASE(spmv_vector, run_spmv("spmv_vector", 32))
CASE(scan_hillis, run_scan("scan_hillis", SCAN_BLOCK, true))
CASE(scan_blelloch, run_scan("scan_blelloch", 2 * SCAN_BLOCK, false))
CASE(conv2d_buf, run_conv2d("conv2d_buf", false))
CASE(conv2d_image, run_conv2d("conv2d_image", true))

int
main(int argc, char **argv)
{
    static const bench_case cases[] = {
        {"empty", empty},
        {"vecadd", vecadd},
        {"saxpy", saxpy},
        {"copy", copy},
        {"tr_copy", case_tr_copy},
        {"tr_naive", case_tr_naive},
        {"tr_coalesced", case_tr_coalesced},
        {"tr_padded", case_tr_padded},
        {"tr_diagonal", case_tr_diagonal},
        {"red_interleaved", case_red_interleaved},
        {"red_coalesced", case_red_coalesced},
        {"red_divergent", case_red_divergent},
        {"red_sequential", case_red_sequential},
        {"matmul_naive", case_matmul_naive},
        {"matmul_tiled", case_matmul_tiled},
        {"mandelbrot", run_mandelbrot},
        {"nbody", run_nbody},
        {"blackscholes", run_blackscholes},
        {"fd3d_naive", case_fd3d_naive},
        {"fd3d_tiled", case_fd3d_tiled},
        {"spmv_scalar", case_spmv_scalar},
        {"spmv_vector", case_spmv_vector},
        {"histogram", run_histogram},
        {"bitonic", run_bitonic},
        {"scan_hillis", case_scan_hillis},
        {"scan_blelloch", case_scan_blelloch},
        {"conv2d_buf", case_conv2d_buf},
        {"conv2d_image", case_conv2d_image},
        {"img_bilinear", img_bilinear},
    };
    if (argc < 3) {
        fprintf(stderr, "usage: cases DIRECTORY PLATFORM [argument...]\n");
        return 2;
    }
    cl.dir = argv[1];
    cl_open(argv[2]);
    return bench_main(argc - 2, argv + 2, cases, sizeof cases / sizeof *cases);
}
