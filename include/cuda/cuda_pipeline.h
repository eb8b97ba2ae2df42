/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_pipeline.h - the pipeline primitives: copies from global to shared
 * memory in stages. A copy is done when it was asked for, so a stage never
 * has to be waited for; the order that a program relies on holds.
 */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_
#include "cuda_pipeline_primitives.h"
#endif
