# SPDX-License-Identifier: Apache-2.0
# The C compiler of the presets clang and fuzz: the newest clang installed.
file(GLOB found /usr/lib/llvm-*/bin/clang)
list(SORT found COMPARE NATURAL ORDER DESCENDING)
list(APPEND found clang) # where PATH has it
list(GET found 0 CMAKE_C_COMPILER)
