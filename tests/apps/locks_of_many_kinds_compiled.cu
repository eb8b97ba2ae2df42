/* SPDX-License-Identifier: Apache-2.0 */
/* locks_of_many_kinds_compiled.cu - the same in compiled code. */
// cc: -arch=sm_80 -O3
// env: SOFTWARP_ENGINE=jit
// expect: EXACT in order: 4096 of 4096 moved
// expect: EXACT counted: 256 of 256
// expect: EXACT asleep: 256 of 256
// expect: EXACT tickets: 256 of 256
// expect: EXACT buffer: 1024 of 1024
#include "locks_of_many_kinds.cu"
