/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stack.h - call stacks of the host: where memory was allocated and kernels
 * were launched.
 *
 * Taking one costs microseconds and keeps each different stack once. Frames are
 * kept as module and offset; the command that prints them looks the lines up,
 * since that takes a debugger's tables and the checked program's time. Where
 * the thread runs Python its frames are taken as well. Any thread.
 */
#ifndef SW_CHECK_STACK_H
#define SW_CHECK_STACK_H
#include "base/base.h"

typedef uint32_t sw_stack_id; /* 0: none */

enum { SW_STACK_FRAMES = 24 }; /* at most, of each kind */

/* The stack of the calling thread, without our own libraries' frames. */
sw_stack_id sw_stack_take(void);
/* A call of the program begins. Where its thread runs Python and has released
 * Python's lock for the call, its lines are read here, where no lock of ours is
 * held, and stand in the stacks that are taken during the call. */
void sw_stack_note_python(void);
/* In a signal's handler: the stack from the instruction that was stopped. */
sw_stack_id sw_stack_take_at(uint64_t pc);

/* Return addresses of the machine's frames, innermost first; at most `room`.
 * Returns how many. */
size_t sw_stack_frames(sw_stack_id id, void **out, size_t room);

/* Did the thread run Python there? */
bool sw_stack_has_python(sw_stack_id id);

/*
 * A line a frame, innermost first: "FUNCTION (FILE:LINE)" of Python, else
 * "@MODULE+0xOFFSET SYMBOL", which sw_stack_resolve understands.
 */
void sw_stack_print(sw_stack_id id, sw_buf *out);

/* Replaces the lines of a text that begin with '@' by function, file and line,
 * where addr2line is installed and the module has debugging information; else
 * by what is known. In the command, one thread. */
void sw_stack_resolve(const char *text, sw_buf *out);

#endif
