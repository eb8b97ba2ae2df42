# SPDX-License-Identifier: Apache-2.0
# Flags of every C file, and the helpers by which folders declare themselves.

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
  -ffp-contract=off -fvisibility=hidden)
add_compile_definitions(_GNU_SOURCE)

# sw_module(NAME [files...]): the folder's .c files as the object library
# sw_NAME. Files are found, not listed: a new one needs no registration.
function(sw_module name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  add_library(sw_${name} OBJECT ${sources} ${ARGN})
  target_include_directories(sw_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src
    ${CMAKE_SOURCE_DIR}/include)
endfunction()
