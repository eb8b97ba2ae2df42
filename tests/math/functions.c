/* SPDX-License-Identifier: Apache-2.0 */
/* functions.c - the rows of functions.def, or of the table that the build
 * names, and the zones that they name. */
#include <math.h>

#include "reference.h"

/* A table need not name all of them. */
#define ZONES __attribute__((unused)) static const math_zone

/* A zone whose `where` is NULL is not measured: nothing is said of it. */
#define REST_UNKNOWN                                                           \
    {                                                                          \
        .where = NULL                                                          \
    }

static bool
outside(double x, double low, double high)
{
    return !(x > low && x < high);
}
ZONES zones_whole[] = {{.where = ""}};

static bool
lgammaf_has(const math_args *a)
{
    return outside(a->v[0], -10.001, -2.264);
}
ZONES zones_lgammaf[] = {
    {.where = "not in (-10.001, -2.264)", .has = lgammaf_has},
    {.where = "in (-10.001, -2.264)"}};
static bool
lgamma_has(const math_args *a)
{
    return outside(a->v[0], -23.0001, -2.2637);
}
static bool
lgamma_had(const math_args *a)
{
    return a->v[0] <= -11.0001;
}
ZONES zones_lgamma[] = {
    {.where = "not in (-23.0001, -2.2637)", .has = lgamma_has},
    {.where = "in (-23.0001, -11.0001)", .has = lgamma_had},
    {.where = "in (-11.0001, -2.2637)"}};

static bool
bessel_near(const math_args *a)
{
    return fabs(a->v[0]) < 8;
}
ZONES zones_bessel[] = {{.where = "abs(x) < 8", .has = bessel_near},
                        {.where = "elsewhere, absolute", .unit = ABSOLUTE}};
ZONES zones_jn[] = {{.where = "n <= 128, absolute", .unit = ABSOLUTE}};

static bool
ynf_near(const math_args *a)
{
    return fabs(a->v[0]) < a->v[1];
}
static double
ynf_allowance(const math_args *a)
{
    return ceil(2 + 2.5 * a->v[1]) - 2;
}
static bool
ynf_far(const math_args *a)
{
    return a->v[1] > 0;
}
ZONES zones_ynf[] = {
    {.where = "abs(x) < n, less 2.5 n",
     .has = ynf_near,
     .allowance = ynf_allowance},
    {.where = "elsewhere, n > 0, absolute", .unit = ABSOLUTE, .has = ynf_far},
    REST_UNKNOWN};
static bool
yn_far(const math_args *a)
{
    return fabs(a->v[0]) > 1.5 * a->v[1];
}
ZONES zones_yn[] = {
    {.where = "abs(x) > 1.5 n, absolute", .unit = ABSOLUTE, .has = yn_far},
    REST_UNKNOWN};

/* The bounds of the older guides, and those of 13. */
#define LESS_SLOPE(name, slope, text)                                          \
    static double name##_allowance(const math_args *a)                         \
    {                                                                          \
        return floor(fabs(slope * a->v[0]));                                   \
    }                                                                          \
    ZONES zones_##name[] = {                                                   \
        {.where = "less " text, .allowance = name##_allowance}};
LESS_SLOPE(expf, 1.16, "1.16 abs(x)")
LESS_SLOPE(exp10f, 2.95, "2.95 abs(x)")
LESS_SLOPE(expf_13, 1.173, "1.173 abs(x)")
LESS_SLOPE(exp10f_13, 2.97, "2.97 abs(x)")
static bool
logf_near(const math_args *a)
{
    return a->v[0] >= 0.5 && a->v[0] <= 2;
}
ZONES zones_logf[] = {
    {.where = "in [0.5, 2], absolute", .unit = ABSOLUTE, .has = logf_near},
    {.where = "elsewhere"}};
static bool
in_circle(const math_args *a)
{
    return fabs(a->v[0]) <= 3.141592653589793;
}
ZONES zones_circle[] = {
    {.where = "in [-pi, pi], absolute", .unit = ABSOLUTE, .has = in_circle},
    REST_UNKNOWN};
static bool
in_octant(const math_args *a)
{
    return fabs(a->v[0]) <= 0.7853981633974483;
}
ZONES zones_tanf[] = {
    {.where = "in [-pi/4, pi/4], absolute", .unit = ABSOLUTE, .has = in_octant},
    REST_UNKNOWN};
static bool
powf_has(const math_args *a)
{
    return a->v[0] >= 0.5 && a->v[0] <= 2 && fabs(a->v[1]) <= 100;
}
ZONES zones_powf[] = {
    {.where = "x in [0.5, 2], abs(y) <= 100", .has = powf_has}, REST_UNKNOWN};
static bool
any_number(const math_args *a)
{
    return isfinite(a->v[0]);
}
ZONES zones_tanhf[] = {
    {.where = "relative", .unit = RELATIVE, .has = any_number}, REST_UNKNOWN};
static bool
divides(const math_args *a)
{
    return fabs(a->v[1]) >= 0x1p-126 && fabs(a->v[1]) <= 0x1p126;
}
static bool
divides_by_more(const math_args *a)
{
    return fabs(a->v[1]) > 0x1p126 && fabs(a->v[1]) < 0x1p128;
}
ZONES zones_divide[] = {
    {.where = "abs(y) in [2^-126, 2^126]", .has = divides},
    {.where = "abs(y) more, 0 or NaN", .has = divides_by_more},
    REST_UNKNOWN};

#define ROW(id_, name_, T, R, expression, n, reference, rounding, where,       \
            shape_, low_, high_)                                               \
    {.id = #id_,                                                               \
     .name = name_,                                                            \
     .type = T,                                                                \
     .result = R,                                                              \
     .arguments = n,                                                           \
     .fast_##T = fast_##T##_##reference,                                       \
     .exact = exact_##reference,                                               \
     .mode = rounding,                                                         \
     .zones = zones_##where,                                                   \
     .shape = shape_,                                                          \
     .low = low_,                                                              \
     .high = high_,                                                            \
     .less_precise = LESS},
#ifndef MATH_FUNCTIONS
#define MATH_FUNCTIONS "functions.def"
#endif
const math_function math_functions[] = {
#define LESS false
#include MATH_FUNCTIONS
#undef LESS
#define LESS true
#define LESS_PRECISE
#include MATH_FUNCTIONS
};
const unsigned math_function_count =
    sizeof math_functions / sizeof *math_functions;
