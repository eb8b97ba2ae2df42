/* SPDX-License-Identifier: Apache-2.0 */
/* image.h - see image.c: a text with its NUL. */
#ifndef SW_RAND_IMAGE_H
#define SW_RAND_IMAGE_H

extern const char rand_image[] __attribute__((visibility("hidden")));

#endif
