/* SPDX-License-Identifier: Apache-2.0 */
/* sampler.c - samplers, and what kernels get of them. */
#include "api/opencl/sampler.h"

#include "api/opencl/info.h"

static bool
destroy(void *object)
{
    cl_sampler s = object;
    sw_ocl_unhold(s->context);
    return true;
}

uint64_t
sw_ocl_sampler_bits(const struct _cl_sampler *s)
{
    uint64_t bits = s->normalized ? SW_CL_SAMPLER_NORMALIZED : 0;
    bits |= s->filter == CL_FILTER_LINEAR ? SW_CL_SAMPLER_LINEAR
                                          : SW_CL_SAMPLER_NEAREST;
    switch (s->addressing) {
    case CL_ADDRESS_CLAMP_TO_EDGE:
        return bits | SW_CL_SAMPLER_CLAMP_TO_EDGE;
    case CL_ADDRESS_CLAMP:
        return bits | SW_CL_SAMPLER_CLAMP;
    case CL_ADDRESS_REPEAT:
        return bits | SW_CL_SAMPLER_REPEAT;
    case CL_ADDRESS_MIRRORED_REPEAT:
        return bits | SW_CL_SAMPLER_MIRRORED_REPEAT;
    default:
        return bits | SW_CL_SAMPLER_NONE;
    }
}

static cl_int
check(const struct _cl_sampler *s)
{
    REQUIRE(s->normalized == CL_TRUE || s->normalized == CL_FALSE,
            CL_INVALID_VALUE);
    REQUIRE(s->addressing >= CL_ADDRESS_NONE &&
                s->addressing <= CL_ADDRESS_MIRRORED_REPEAT,
            CL_INVALID_VALUE);
    REQUIRE(s->filter == CL_FILTER_NEAREST || s->filter == CL_FILTER_LINEAR,
            CL_INVALID_VALUE);
    return CL_SUCCESS;
}

static cl_int
read_properties(const cl_sampler_properties *p, struct _cl_sampler *s)
{
    unsigned seen = 0;
    for (; p && *p; p += 2) {
        unsigned bit = *p == CL_SAMPLER_NORMALIZED_COORDS ? 1
                       : *p == CL_SAMPLER_ADDRESSING_MODE ? 2
                       : *p == CL_SAMPLER_FILTER_MODE     ? 4
                                                          : 0;
        REQUIRE(bit && !(seen & bit), CL_INVALID_VALUE);
        seen |= bit;
        if (bit == 1)
            s->normalized = (cl_bool)p[1];
        else if (bit == 2)
            s->addressing = (cl_addressing_mode)p[1];
        else
            s->filter = (cl_filter_mode)p[1];
    }
    return check(s);
}

static cl_int
create(cl_context context, const cl_sampler_properties *properties,
       struct _cl_sampler *wanted, cl_sampler *out)
{
    GET(cl_context, c, context, SW_OCL_CONTEXT, CL_INVALID_CONTEXT);
    TRY(read_properties(properties, wanted));
    cl_sampler s = sw_ocl_new(SW_OCL_SAMPLER, sizeof *s, destroy);
    REQUIRE(s, CL_OUT_OF_HOST_MEMORY);
    s->context = c;
    s->normalized = wanted->normalized;
    s->addressing = wanted->addressing;
    s->filter = wanted->filter;
    while (properties && properties[s->property_count]) {
        s->properties[s->property_count] = properties[s->property_count];
        s->properties[s->property_count + 1] =
            properties[s->property_count + 1];
        s->property_count += 2;
    }
    s->property_count += properties ? 1 : 0;
    sw_ocl_hold(c);
    *out = s;
    return CL_SUCCESS;
}

cl_sampler
clCreateSamplerWithProperties(cl_context context,
                              const cl_sampler_properties *sampler_properties,
                              cl_int *errcode_ret)
{
    struct _cl_sampler wanted = {.normalized = CL_TRUE,
                                 .addressing = CL_ADDRESS_CLAMP,
                                 .filter = CL_FILTER_NEAREST};
    cl_sampler s = NULL;
    sw_ocl_set_error(errcode_ret,
                     create(context, sampler_properties, &wanted, &s));
    return s;
}

cl_sampler
clCreateSampler(cl_context context, cl_bool normalized_coords,
                cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                cl_int *errcode_ret)
{
    struct _cl_sampler wanted = {.normalized = normalized_coords,
                                 .addressing = addressing_mode,
                                 .filter = filter_mode};
    cl_sampler s = NULL;
    sw_ocl_set_error(errcode_ret, create(context, NULL, &wanted, &s));
    return s;
}

cl_int
clRetainSampler(cl_sampler sampler)
{
    GET(cl_sampler, s, sampler, SW_OCL_SAMPLER, CL_INVALID_SAMPLER);
    sw_ocl_retain(s);
    return CL_SUCCESS;
}

cl_int
clReleaseSampler(cl_sampler sampler)
{
    GET(cl_sampler, s, sampler, SW_OCL_SAMPLER, CL_INVALID_SAMPLER);
    return sw_ocl_release(s) ? CL_SUCCESS : CL_INVALID_SAMPLER;
}

cl_int
clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name,
                 size_t param_value_size, void *param_value,
                 size_t *param_value_size_ret)
{
    ASK(ask);
    GET(cl_sampler, s, sampler, SW_OCL_SAMPLER, CL_INVALID_SAMPLER);
    switch (param_name) {
    case CL_SAMPLER_REFERENCE_COUNT:
        ANSWER(&ask, cl_uint, sw_ocl_count(s));
    case CL_SAMPLER_CONTEXT:
        ANSWER(&ask, cl_context, s->context);
    case CL_SAMPLER_NORMALIZED_COORDS:
        ANSWER(&ask, cl_bool, s->normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        ANSWER(&ask, cl_addressing_mode, s->addressing);
    case CL_SAMPLER_FILTER_MODE:
        ANSWER(&ask, cl_filter_mode, s->filter);
    case CL_SAMPLER_PROPERTIES:
        return sw_ocl_answer(&ask, s->properties,
                             s->property_count * sizeof *s->properties);
    default:
        return CL_INVALID_VALUE;
    }
}
