/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.c - the messages of this library, errors and warnings, for programs: the
 * last ones are kept, and functions of the program are called with each. A
 * message has a number; an iterator is the number of the next one to read.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "api/cuda/api.h"

enum { MOST_BYTES = 25600 }; /* kept: as a real driver says of itself */

typedef struct {
    char *text; /* a line with its end, and NUL */
    size_t bytes;
} message;

typedef struct {
    sw_rt_object object;
    CUlogsCallback fn;
    void *user;
} callback;

static struct {
    pthread_mutex_t lock;
    sw_vec messages;  /* message, oldest first */
    sw_vec callbacks; /* callback * */
    unsigned first;   /* number of the oldest one kept */
    size_t bytes;     /* of all */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char gone[] = "(earlier messages are gone)\n";

static message *
message_at(size_t i)
{
    return sw_vec_at(&all.messages, i);
}

static unsigned
end_locked(void)
{
    return all.first + (unsigned)all.messages.count;
}

static void
keep_locked(const char *word, const char *text)
{
    sw_buf line;
    sw_buf_init(&line);
    sw_buf_printf(&line, "%s: %s\n", word, text);
    message m = {sw_alloc(line.n + 1), line.n};
    memcpy(m.text, line.p, line.n);
    sw_buf_finish(&line);
    *(message *)sw_vec_push(&all.messages) = m;
    all.bytes += m.bytes;
    while (all.bytes > MOST_BYTES && all.messages.count > 1) {
        all.bytes -= message_at(0)->bytes;
        sw_free(message_at(0)->text);
        sw_vec_remove(&all.messages, 0);
        all.first++;
    }
}

static void
see(sw_level level, const char *text)
{
    bool is_error = level == SW_LOG_ERROR;
    enum { AT_ONCE = 16 };
    callback to[AT_ONCE];
    pthread_mutex_lock(&all.lock);
    keep_locked(is_error ? "error" : "warning", text);
    size_t count =
        all.callbacks.count < AT_ONCE ? all.callbacks.count : AT_ONCE;
    for (size_t i = 0; i < count; i++)
        to[i] = **(callback **)sw_vec_at(&all.callbacks, i);
    pthread_mutex_unlock(&all.lock);
    for (size_t i = 0; i < count; i++)
        to[i].fn(to[i].user,
                 is_error ? CU_LOG_LEVEL_ERROR : CU_LOG_LEVEL_WARNING,
                 (char *)(uintptr_t)text, strlen(text));
}

void
sw_api_logs_start(void)
{
    sw_vec_init(&all.messages, sizeof(message));
    sw_vec_init(&all.callbacks, sizeof(callback *));
    sw_log_watch(see);
}

CUresult
cuLogsRegisterCallback(CUlogsCallback callbackFunc, void *userData,
                       CUlogsCallbackHandle *callback_out)
{
    REQUIRE(callbackFunc, CUDA_ERROR_INVALID_VALUE);
    callback *c = sw_rt_object_new(SW_RT_LOG_CALLBACK, sizeof *c);
    c->fn = callbackFunc;
    c->user = userData;
    pthread_mutex_lock(&all.lock);
    *(callback **)sw_vec_push(&all.callbacks) = c;
    pthread_mutex_unlock(&all.lock);
    if (callback_out)
        *callback_out = (CUlogsCallbackHandle)c;
    return CUDA_SUCCESS;
}

CUresult
cuLogsUnregisterCallback(CUlogsCallbackHandle handle)
{
    callback *c = sw_rt_object_get(handle, SW_RT_LOG_CALLBACK);
    REQUIRE(c, CUDA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&all.lock);
    for (size_t i = all.callbacks.count; i-- > 0;)
        if (*(callback **)sw_vec_at(&all.callbacks, i) == c)
            sw_vec_remove(&all.callbacks, i);
    pthread_mutex_unlock(&all.lock);
    sw_rt_object_free(c);
    return CUDA_SUCCESS;
}

CUresult
cuLogsCurrent(CUlogIterator *iterator_out, unsigned int flags)
{
    (void)flags; /* the real one does not look at them either */
    REQUIRE(iterator_out, CUDA_ERROR_INVALID_VALUE);
    pthread_mutex_lock(&all.lock);
    *iterator_out = end_locked();
    pthread_mutex_unlock(&all.lock);
    return CUDA_SUCCESS;
}

/* The place of the message that the iterator (NULL: all) means; *lost: some
 * before it are not kept any more. */
static size_t
begin_locked(const CUlogIterator *iterator, bool *lost)
{
    unsigned number = iterator ? *iterator : 0;
    *lost = number < all.first;
    size_t at = *lost ? 0 : number - all.first;
    return at < all.messages.count ? at : all.messages.count;
}

CUresult
cuLogsDumpToFile(CUlogIterator *iterator, const char *pathToFile,
                 unsigned int flags)
{
    (void)flags;
    REQUIRE(pathToFile, CUDA_ERROR_INVALID_VALUE);
    FILE *file = fopen(pathToFile, "w");
    REQUIRE(file, CUDA_ERROR_INVALID_VALUE);
    bool lost;
    pthread_mutex_lock(&all.lock);
    size_t i = begin_locked(iterator, &lost);
    if (lost)
        fputs(gone, file);
    for (; i < all.messages.count; i++)
        fputs(message_at(i)->text, file);
    if (iterator)
        *iterator = end_locked();
    pthread_mutex_unlock(&all.lock);
    sw_file_limit limit;
    sw_file_limit_begin(&limit);
    bool good = fclose(file) == 0; /* writes the messages, which are few */
    sw_file_limit_end(&limit);
    return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult
cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size,
                   unsigned int flags)
{
    (void)flags;
    REQUIRE(buffer && size && *size, CUDA_ERROR_INVALID_VALUE);
    size_t room = *size - 1, used = 0, bytes = 0;
    bool lost;
    pthread_mutex_lock(&all.lock);
    size_t begin = begin_locked(iterator, &lost), i = all.messages.count;
    bool none = begin == i;
    for (size_t k = begin; k < i; k++)
        bytes += message_at(k)->bytes;
    /* The newest ones, as many as go in behind the remark. */
    lost |= bytes > room;
    size_t remark = lost ? sizeof gone - 1 : 0;
    for (bytes = remark; i > begin && bytes + message_at(i - 1)->bytes <= room;)
        bytes += message_at(--i)->bytes;
    bool any = i < all.messages.count;
    if (any && lost)
        memcpy(buffer, gone, used = remark);
    for (; any && i < all.messages.count; i++) {
        memcpy(buffer + used, message_at(i)->text, message_at(i)->bytes);
        used += message_at(i)->bytes;
    }
    buffer[used] = 0;
    *size = used;
    if (iterator)
        *iterator = end_locked();
    pthread_mutex_unlock(&all.lock);
    return any || none ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
