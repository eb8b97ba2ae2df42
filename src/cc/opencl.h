/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl.h - OpenCL C and C++ for OpenCL to PTX, by way of clang: what a host
 * library for OpenCL calls in libsoftwarp-cc.so.0, and what it must know of
 * the kernels that come out.
 *
 * A program is compiled to an object (LLVM's text), objects are linked to a
 * program (PTX) or a library (an object again). The built-in functions are
 * those of src/opencl, compiled when Softwarp was built; a program gets those
 * that it calls.
 *
 * Any thread, any number at once; what cc.h says of sw_cc_compile holds here,
 * too: nothing of the process is changed. This does not load or run PTX.
 */
#ifndef SW_CC_OPENCL_H
#define SW_CC_OPENCL_H
#include "base/base.h"
#include "cc/cc.h"

/* A compiled program that is not linked: what sw_cl_compile or sw_cl_link made
 * of a source, or LLVM's bitcode from elsewhere, or SPIR-V. */
typedef struct {
    const void *data;
    size_t size; /* bytes */
} sw_cl_object;

typedef struct {
    const char *name; /* what messages call the source, e.g. "program.cl" */
    sw_str source;    /* OpenCL C, or C++ for OpenCL (-cl-std=CLC++...) */
    const sw_cc_header *headers; /* what it may include by these names */
    size_t header_count;
    const char *options; /* of clBuildProgram or clCompileProgram; NULL: none */
    uint32_t capability; /* of the device, times ten: 90 */
} sw_cl_compile_request;

/*
 * Compiles to an object. SW_OK; SW_E_INVALID_SOURCE: the source has errors;
 * SW_E_INVAL: an option is wrong, the log names it;
 * SW_E_JIT_COMPILER_NOT_FOUND: no clang, the log names the package;
 * SW_E_OPERATING_SYSTEM: no temporary files. *object and *log are initialised
 * here and the caller's to finish (sw_buf_finish) whatever is returned; *object
 * is empty unless SW_OK. The log has warnings, too.
 */
sw_status sw_cl_compile(const sw_cl_compile_request *request, sw_buf *object,
                        sw_buf *log);

/*
 * Links `count` objects (at least 1) to PTX, or to an object if `library`.
 * `options` are those of clLinkProgram, or NULL. Statuses as above;
 * SW_E_INVALID_SOURCE also if a function is missing or there twice, or an
 * object is none: the log says which; SW_E_JIT_COMPILER_NOT_FOUND also if one
 * is SPIR-V and no translator is installed: the log names the package.
 */
sw_status sw_cl_link(const sw_cl_object *objects, size_t count,
                     const char *options, bool library, uint32_t capability,
                     sw_buf *out, sw_buf *log);

/* clBuildProgram: the two steps above, faster, with options of both. `ptx` as
 * `object` above. */
sw_status sw_cl_build(const sw_cl_compile_request *request, sw_buf *ptx,
                      sw_buf *log);

/*
 * Reads the options and does nothing else: SW_OK, or SW_E_INVAL with the log
 * saying which is wrong. `steps`: those whose options may be among them.
 */
enum { SW_CL_STEP_COMPILE = 1, SW_CL_STEP_LINK = 2, SW_CL_STEP_BUILD = 3 };
sw_status sw_cl_check_options(const char *options, int steps, sw_buf *log);

/* Whether SPIR-V may be among the objects: a translator is installed. */
bool sw_cl_takes_spirv(void);

/* Whether these options of clLinkProgram ask for a library. */
bool sw_cl_makes_library(const char *options);

/* ---- facts ---- */

typedef enum {
    SW_CL_ARG_VALUE,
    SW_CL_ARG_POINTER, /* to global or constant memory: 8 bytes, an address */
    SW_CL_ARG_LOCAL,   /* 8 bytes: where in shared memory the host's piece is */
    SW_CL_ARG_IMAGE,   /* 8 bytes: the address of an sw_cl_image */
    SW_CL_ARG_SAMPLER, /* 8 bytes: SW_CL_SAMPLER_... bits */
    SW_CL_ARG_PIPE,    /* 8 bytes; pipes are not supported */
} sw_cl_arg_kind;

/* One argument of a kernel. Constants are those of cl.h. */
typedef struct {
    const char *name, *type_name; /* "float*"; without qualifiers */
    uint32_t address;             /* CL_KERNEL_ARG_ADDRESS_... */
    uint32_t access;              /* CL_KERNEL_ARG_ACCESS_... */
    uint64_t qualifier;           /* CL_KERNEL_ARG_TYPE_... */
    sw_cl_arg_kind kind;
    uint32_t offset, size; /* in the kernel's parameter block, bytes */
    uint32_t alignment;    /* of what a LOCAL or POINTER points to, bytes */
} sw_cl_argument;

typedef struct {
    const char *name;
    const char *attributes;                  /* text of CL_KERNEL_ATTRIBUTES */
    uint32_t required_size[3], size_hint[3]; /* 0: none */
    sw_cl_argument *arguments;
    size_t argument_count;
} sw_cl_kernel;

typedef struct {
    sw_cl_kernel *kernels;
    size_t count;
    bool verbose;        /* -cl-nv-verbose was among the options */
    bool uniform_groups; /* groups of all launches are of one size:
                            -cl-uniform-work-group-size or before OpenCL 2.0 */
    sw_arena *arena;     /* of the names; sw_cl_free_facts */
} sw_cl_program_facts;

/*
 * What stands in comments of PTX that sw_cl_link made. SW_OK;
 * SW_E_INVALID_PTX: there are none, or they are damaged. *facts is the
 * caller's, sw_cl_free_facts, if SW_OK is returned, else zeros.
 */
sw_status sw_cl_read_facts(sw_str ptx, sw_cl_program_facts *facts);
void sw_cl_free_facts(sw_cl_program_facts *facts);

/* ---- conventions between kernels and the host ---- */

/*
 * Pointers are plain addresses (those of global memory are generic ones), 8
 * bytes. A LOCAL argument is an offset in the block's shared memory: the host
 * gives each such argument a piece of the dynamic shared memory, which begins
 * where the kernel's static shared memory ends.
 *
 * Program-scope variables are globals of the module. printf calls
 * __softwarp_cl_printf, which the engine has.
 */

/* An image argument points to one of these in device memory. */
typedef struct {
    uint64_t data;        /* address of the first element */
    uint64_t row_bytes;   /* from a row to the next one */
    uint64_t slice_bytes; /* from a slice, or image of an array, to the next */
    uint32_t width, height; /* of images with less dimensions: 1 */
    uint32_t depth;         /* 1 if it has none */
    uint32_t array_size;    /* 1 if it is no array */
    uint32_t order;         /* CL_RGBA ...: cl_image_format */
    uint32_t type;          /* CL_UNORM_INT8 ... */
    uint32_t element_bytes;
    uint32_t channels;      /* in memory */
    uint32_t channel_bytes; /* of each: 1, 2, 4 */
    uint32_t coding;        /* SW_CL_CODING_... */
    uint32_t to_color;      /* four bits each of red, green, blue and alpha, red
                               lowest: which channel; 4: it is 0, 5: it is 1 */
    uint32_t to_memory; /* four bits a channel: which component of the color */
    uint32_t border_alpha; /* alpha outside of the image: 0 or 1 */
    float unit; /* of normalised channels: the whole number that 1.0 is */
    uint32_t load_bytes; /* element_bytes, if all elements are so aligned;
                            else 0 */
    uint32_t is_plain;   /* elements are four words, their color as it is,
                            aligned, and there are less than 2^31 of them */
    uint32_t is_small;   /* it has less than 2^31 bytes */
} sw_cl_image;

enum { /* what a channel's bits are */
       SW_CL_CODING_UNSIGNED,
       SW_CL_CODING_SIGNED,
       SW_CL_CODING_SRGB, /* UNSIGNED; all but alpha by sRGB's curve */
       SW_CL_CODING_HALF,
       SW_CL_CODING_FLOAT
};

/* A sampler, as clang writes constant ones. One bit each of the address modes
 * is not used: they are even numbers. */
enum {
    SW_CL_SAMPLER_NORMALIZED = 0x01,
    SW_CL_SAMPLER_NONE = 0x00, /* address mode */
    SW_CL_SAMPLER_CLAMP_TO_EDGE = 0x02,
    SW_CL_SAMPLER_CLAMP = 0x04,
    SW_CL_SAMPLER_REPEAT = 0x06,
    SW_CL_SAMPLER_MIRRORED_REPEAT = 0x08,
    SW_CL_SAMPLER_NEAREST = 0x10, /* filter mode */
    SW_CL_SAMPLER_LINEAR = 0x20,
};

/*
 * What a kernel asks of its launch, in %envreg registers (sw_launch.offset and
 * sw_launch.environment). An NDRange whose groups are all of one size is one
 * launch, whose environment but DIMENSIONS is zeros. Else it is one launch for
 * each part of it that has groups of one size, up to 8, which are in this
 * order: whole groups first.
 *
 * offset[d], %envreg3 to 8: the global number of the launch's first work-item:
 *     the global offset, and the number of the first group times ENQUEUED.
 */
enum {
    SW_CL_ENV_FIRST = 9,      /* %envreg9 is sw_launch.environment[0] */
    SW_CL_ENV_DIMENSIONS = 0, /* work_dim; 0 counts as 3 */
    SW_CL_ENV_GROUP = 1,      /* +d: number of the launch's first group */
    SW_CL_ENV_GROUPS = 4,     /* +d: groups of the NDRange; 0: %nctaid */
    SW_CL_ENV_ENQUEUED = 7,   /* +d: whole groups' size; 0: %ntid */
    SW_CL_ENV_SIZE = 10,      /* +d: low words of the global size; all 0:
                                 groups times size */
    SW_CL_ENV_SIZE_HIGH = 13, /* +d */
    SW_CL_ENV_WORDS = 16
};

#endif
