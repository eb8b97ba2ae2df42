/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fortran.h - calls of BLAS and LAPACK routines in stream order.
 *
 * A routine of these has pointers as its arguments and nothing else, whatever
 * the type of its elements. So one function can call them all: a call is the
 * routine and a list of arguments, each a value, a scalar or an address. (The
 * lengths of characters, which compilers append, are all 1.)
 */
#ifndef SW_LIB_FORTRAN_H
#define SW_LIB_FORTRAN_H
#include <stdarg.h>

#include "lib/common/lib.h"

enum { SW_LIB_ARGUMENTS = 24 };

/* The types of elements, in the order S, D, C, Z. */
typedef enum { SW_LIB_S, SW_LIB_D, SW_LIB_C, SW_LIB_Z } sw_lib_type;
size_t sw_lib_type_bytes(sw_lib_type type);
/* Of its real part. */
size_t sw_lib_type_real_bytes(sw_lib_type type);
bool sw_lib_type_is_complex(sw_lib_type type);

typedef void sw_lib_routine(void);

typedef struct {
    sw_lib_routine *fn;
    uint32_t count;
    bool scalars_are_on_device;
    struct {
        enum { SW_LIB_VALUE, SW_LIB_SCALAR, SW_LIB_ADDRESS } kind;
        union {
            int value; /* or a character */
            sw_lib_scalar scalar;
            void *address;
        };
    } arguments[SW_LIB_ARGUMENTS];
} sw_lib_call;

/*
 * Adds arguments as a format says, a letter each, and to `work` what they read
 * and write. Sizes are int64_t and count elements of `type`.
 *
 *   c  character (int)
 *   i  integer (int64_t)
 *   s  scalar of the type (const void *), t: of its real part
 *   o  the number one of the type (no argument)
 *   R  matrix that is read: address, rows, columns, distance of columns; these
 *      become two arguments, address and distance. W: that is written
 *   x  vector that is read: address, elements, increment (two arguments).
 *      y: that is written
 *   a  elements that are read: address, how many (one argument). b: written
 */
void sw_lib_call_add(sw_lib_call *call, sw_lib_work *work, sw_lib_type type,
                     const char *format, va_list list);
/* The routine called sNAME, dNAME, cNAME or zNAME of OpenBLAS; NULL, and it has
 * been said why. `prefixes`: other letters for the four types, or NULL. */
sw_lib_routine *sw_lib_find_routine(const char *name, sw_lib_type type,
                                    const char *const prefixes[4]);
/* Now, on this thread, with these addresses. */
void sw_lib_routine_call(sw_lib_routine *fn, const void *const *addresses,
                         size_t count);
#define SW_LIB_CALL(fn, ...)                                                   \
    sw_lib_routine_call(fn, (const void *const[]){__VA_ARGS__},                \
                        sizeof((const void *const[]){__VA_ARGS__}) /           \
                            sizeof(void *))
/* Now, on this thread. */
void sw_lib_call_run(const sw_lib_call *call);
/* As sw_lib_work.fn, of arguments that are a sw_lib_call. */
bool sw_lib_call_execute(void *call);

#endif
