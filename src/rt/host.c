/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - see host.h: a queue and its thread. */
#include "rt/host.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"

typedef struct {
    void (*fn)(void *arg);
    void *arg;
} job;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    sw_vec jobs; /* job */
    size_t next;
    bool started;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .change = PTHREAD_COND_INITIALIZER};

static void *
run(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&queue.lock);
    for (;;) {
        while (queue.next == queue.jobs.count)
            pthread_cond_wait(&queue.change, &queue.lock);
        job j = *(job *)sw_vec_at(&queue.jobs, queue.next++);
        if (queue.next == queue.jobs.count) {
            sw_vec_clear(&queue.jobs);
            queue.next = 0;
        }
        pthread_mutex_unlock(&queue.lock);
        j.fn(j.arg);
        pthread_mutex_lock(&queue.lock);
    }
    return NULL;
}

static void
start_thread(void *(*fn)(void *), void *arg)
{
    pthread_t thread;
    int failed = pthread_create(&thread, NULL, fn, arg);
    SW_ASSERT(!failed);
    pthread_detach(thread);
}

void
sw_rt_host_post(void (*fn)(void *arg), void *arg)
{
    pthread_mutex_lock(&queue.lock);
    if (!queue.started) {
        queue.started = true;
        sw_vec_init(&queue.jobs, sizeof(job));
        start_thread(run, NULL);
    }
    job *j = sw_vec_push(&queue.jobs);
    j->fn = fn;
    j->arg = arg;
    pthread_cond_signal(&queue.change);
    pthread_mutex_unlock(&queue.lock);
}

static void *
run_one(void *arg)
{
    job j = *(job *)arg;
    sw_free(arg);
    j.fn(j.arg);
    return NULL;
}

void
sw_rt_host_post_blocking(void (*fn)(void *arg), void *arg)
{
    job *j = sw_alloc(sizeof *j);
    j->fn = fn;
    j->arg = arg;
    start_thread(run_one, j);
}

void
sw_rt_host_pause(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

bool
sw_rt_host_has_node(int node)
{
    char path[64];
    if (node <= 0)
        return node == 0;
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d", node);
    return access(path, F_OK) == 0;
}
