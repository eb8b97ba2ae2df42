/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_pipeline.h - the pipeline primitives: copies from global to shared
 * memory in stages, by cp.async. For devices before 8.0 a copy is done when it
 * was asked for, and there is nothing to wait for.
 */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_
#include "cuda_pipeline_primitives.h"
#endif
