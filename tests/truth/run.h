/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - runs one launch of cases.h with counters, on the engine itself. */
#ifndef TRUTH_RUN_H
#define TRUTH_RUN_H
#include "exec/exec.h"
#include "truth/cases.h"
#include "watch/metrics.h"

/* Loads tests/data/registers/truth.ptx; false, having said why. */
bool truth_load(void);
/* Owned by caller, sw_counters_destroy; NULL, having said why. Every n-th block
 * is observed, the others are compiled; from 2 on caches are not simulated. */
sw_counters *truth_run(const truth_case *c, const sw_device_info *device,
                       uint32_t regs, uint32_t sample);
/* The same without caches, all blocks; in compiled code if told, which
 * SOFTWARP_ENGINE=jit sees to. */
sw_counters *truth_count(const truth_case *c, const sw_device_info *device,
                         bool compiled);
/* Runs the case with what an observer wants to see; false, having said why.
 * make gets the kernel, its registers and its number of instructions, and
 * returns the observer; compiled as above. */
typedef const sw_observer *truth_make(void *arg, const sw_fn *fn,
                                      const sw_program_info *info);
bool truth_observe(const truth_case *c, const sw_device_info *device,
                   uint32_t events, uint32_t sample, truth_make *make,
                   void *arg);
/* Seconds of processor time that one run takes: plain, with counters, and with
 * caches as well. Negative: it failed. What is compiled is run once before. */
typedef enum { TRUTH_PLAIN, TRUTH_COUNTERS, TRUTH_CACHES } truth_how;
double truth_cost(const truth_case *c, const sw_device_info *device,
                  truth_how how, bool compiled);

/* ladder.c: the transposes as counted on devices of 2006 and 2008; prints what
 * one multiprocessor counts. The exit status of a test. */
int truth_ladder(const truth_case *cases, size_t count);

#endif
