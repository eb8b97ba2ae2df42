// SPDX-License-Identifier: Apache-2.0
// The same as warps_in_turn.cu, where kernels that do not race are compiled.
// expect: EXACT sums: 0 wrong
// expect: EXACT reversed: 0 wrong
// expect: EXACT neighbours: 0 wrong
// expect: EXACT shared: 0 wrong
// expect: EXACT locked: 0 wrong
#include "warps_in_turn.cu"
// check: race-global race-shared uninit (what it is about)
