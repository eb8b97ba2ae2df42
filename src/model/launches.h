/* SPDX-License-Identifier: Apache-2.0 */
/*
 * launches.h - launches as the model's observers meet them: how much of each is
 * traced, and what earlier ones that did the same have taken.
 *
 * An object is one observer's; functions that end in _locked are called with
 * its lock held, the others take it if they need it.
 */
#ifndef SW_MODEL_LAUNCHES_H
#define SW_MODEL_LAUNCHES_H
#include <pthread.h>

#include "model/recorder.h"
#include "watch/watch.h"

typedef struct {
    pthread_mutex_t lock;
    uint64_t budget;   /* instructions of a launch that are played; 0: all */
    double traced;     /* ... that are traced, about; a second or less */
    bool is_exact;     /* every block is traced */
    sw_vec histories;  /* of kernels */
    sw_vec remembered; /* times of launches */
    /* Launches find in L2 what earlier ones have left there. */
    bool is_warm;
    sw_vec caches;     /* warm: L2, by device and part of it that is played */
    uint64_t previous; /* warm: digest of the launch before */
} sw_launches;

/* One that is under way. */
typedef struct {
    sw_recorder *recorder;
    sw_seen about;
    uint64_t index; /* of the process's launches, from 0 */
} sw_launched;

/* What takes a second or less. */
void sw_launches_init(sw_launches *launches);

/* sw_watcher.launch_begin. Owned by caller, sw_launched_destroy. */
sw_launched *sw_launched_begin(sw_launches *launches,
                               const sw_watch_launch *launch,
                               const sw_observer **observer, uint32_t *sample);
void sw_launched_destroy(sw_launched *launched); /* or NULL */
/* It has ended; what was seen of it, borrowed from it. */
const sw_seen *sw_launched_finish_locked(sw_launches *launches,
                                         sw_launched *launched);
/* What it takes on each of `count` machines: always the same ones, or one,
 * which may be of another device each time. Borrowed for ever. */
const sw_times *sw_launches_play_locked(sw_launches *launches,
                                        const sw_seen *seen,
                                        const sw_machine *machines,
                                        size_t count);

#endif
