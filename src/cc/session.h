/* SPDX-License-Identifier: Apache-2.0 */
/*
 * session.h - one compilation for a program that calls sw_cc_compile: where
 * messages go, until when it may take, and how compilers are started then.
 *
 * A thread has at most one session. Without one, src/cc is the command
 * `softwarp cc`: messages go to standard error, compilers get the environment.
 */
#ifndef SW_CC_SESSION_H
#define SW_CC_SESSION_H
#include <sys/types.h>

#include "base/base.h"
#include "cc/cc.h"

typedef struct {
    sw_buf *said;         /* what compilers and we say; the caller's */
    uint64_t deadline_ns; /* by sw_time_ns; 0: none */
    sw_status status;     /* why it failed, if that is no error of the source */
} cc_session;

/* This thread's, or NULL. */
cc_session *cc_session_get(void);
void cc_session_set(cc_session *session);
/* A message: to the session, else to standard error. */
void cc_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same, and the session's status is this. */
void cc_fail(sw_status status, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* A variable of the environment as it was when this library was loaded; "" if
 * it was not set. A program may change its environment while we compile. */
const char *cc_path_variable(void);      /* PATH */
const char *cc_temporary_variable(void); /* TMPDIR */
const char *cc_clang_variable(void);     /* SOFTWARP_CLANG */

/*
 * Runs argv[0], a path, for the session: it has nothing of the program but its
 * working directory, reads nothing, and is killed if this thread ends. What it
 * says goes to session->said. Returns its exit status; 128 + n if signal n
 * ended it, 127 if it can't be started. Past the deadline it is killed, which
 * is said.
 */
int cc_spawn(char *const *argv, cc_session *session);

/* A compiler that was started before its input was there. */
typedef struct {
    pid_t pid;
    int input, said; /* descriptors: its standard input, what it says */
} cc_child;
/*
 * The same in two parts, so that the compiler loads itself while others work.
 * It reads what cc_spawn_end gives it as its standard input. False after a
 * message: it can't be started. Who has started it calls one of the others, in
 * the same thread: cc_spawn_end waits as cc_spawn does, cc_spawn_cancel kills
 * it.
 */
bool cc_spawn_early(cc_child *child, char *const *argv);
int cc_spawn_end(cc_child *child, cc_session *session, sw_str text);
void cc_spawn_cancel(cc_child *child);

/*
 * folder.c: a new folder for one run's temporary files. It is locked as long as
 * this process lives: the next run removes those that nobody locks, which
 * processes left that were killed. NULL after a message; *lock is for
 * cc_folder_remove.
 */
const char *cc_folder_create(sw_arena *arena, int *lock);
void cc_folder_remove(const char *path, int lock);

/* library.c: a file with the text, which says that it is `name`. */
bool cc_write_named(const char *path, const char *name, sw_str text);
/*
 * lowered.c: appends to a source what makes its PTX tell the names that the
 * request's expressions have there, and takes them out of the PTX. False: the
 * PTX tells less; *ptx and the result are as they were.
 */
void cc_add_expressions(const sw_cc_request *request, sw_buf *source);
bool cc_take_lowered(const sw_cc_request *request, sw_buf *ptx,
                     sw_cc_result *result);
/* The header in folder/headers, with the folders of its name. Both are false
 * after a message. */
bool cc_write_header(sw_arena *arena, const char *folder,
                     const sw_cc_header *header);

#endif
