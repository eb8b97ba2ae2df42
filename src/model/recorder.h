/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recorder.h - an observer of a launch that keeps what the model of time plays:
 * traces of the blocks that are observed.
 *
 * Callbacks run on any thread; what it has seen is sorted by block, so that it
 * is the same for any number of threads.
 */
#ifndef SW_MODEL_RECORDER_H
#define SW_MODEL_RECORDER_H
#include "exec/event.h"
#include "model/model.h"

typedef struct sw_recorder sw_recorder;

/* about: all but ins, traces and executed, which the recorder fills in. Owned
 * by caller, sw_recorder_destroy. */
sw_recorder *sw_recorder_create(const sw_seen *about);
void sw_recorder_destroy(sw_recorder *r);
/* Borrowed from the recorder. */
const sw_observer *sw_recorder_observer(sw_recorder *r);
/* After the launch; borrowed from the recorder. */
const sw_seen *sw_recorder_finish(sw_recorder *r);

#endif
