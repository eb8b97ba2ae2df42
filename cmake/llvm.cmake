# SPDX-License-Identifier: Apache-2.0
# Finds LLVM, for the compiler of kernels, and clang of the same version, which
# `softwarp cc` prefers: the oldest that is installed of those in
# src/base/llvm_versions.h, else one that is newer. SW_LLVM=N asks for version N,
# LLVM_DIR=PATH for that in a folder.
#
# Sets what find_package(LLVM) sets, and SW_CLANG: its path, or empty.

file(STRINGS ${CMAKE_SOURCE_DIR}/src/base/llvm_versions.h lines
  REGEX "^#define SW_LLVM_(OLDEST|NEWEST) ")
foreach(line ${lines})
  string(REGEX MATCH "(SW_LLVM_[A-Z]+) ([0-9]+)" line ${line})
  set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/src/base/llvm_versions.h)

# The versions to try, the best first.
set(SW_LLVM "" CACHE STRING "LLVM's version; empty: chosen by what is installed")
if(SW_LLVM AND NOT LLVM_DIR MATCHES "llvm-${SW_LLVM}/")
  unset(LLVM_DIR CACHE) # of a version that was chosen before
endif()
set(versions ${SW_LLVM})
if(NOT versions)
  foreach(back RANGE 0 20)
    math(EXPR version "${SW_LLVM_NEWEST} - ${back}")
    if(NOT version LESS SW_LLVM_OLDEST)
      list(APPEND versions ${version})
    endif()
  endforeach()
  list(REVERSE versions)
  file(GLOB newer RELATIVE /usr/lib /usr/lib/llvm-*)
  list(SORT newer COMPARE NATURAL)
  foreach(folder ${newer})
    string(REPLACE "llvm-" "" version ${folder})
    if(version MATCHES "^[0-9]+$" AND version GREATER SW_LLVM_NEWEST)
      list(APPEND versions ${version})
    endif()
  endforeach()
endif()
foreach(version ${versions})
  if(NOT LLVM_DIR AND
      EXISTS /usr/lib/llvm-${version}/lib/cmake/llvm/LLVMConfig.cmake)
    find_package(LLVM CONFIG PATHS /usr/lib/llvm-${version} NO_DEFAULT_PATH)
  endif()
endforeach()
if(NOT LLVM_FOUND) # where other systems have it
  find_package(LLVM CONFIG)
endif()
if(NOT LLVM_FOUND OR LLVM_VERSION_MAJOR LESS SW_LLVM_OLDEST OR
    (SW_LLVM AND NOT LLVM_VERSION_MAJOR EQUAL SW_LLVM))
  message(FATAL_ERROR "LLVM ${SW_LLVM_OLDEST} to ${SW_LLVM_NEWEST} or newer is \
not installed (found: version ${LLVM_VERSION_MAJOR} in '${LLVM_DIR}'). On Debian \
and Ubuntu: apt-get install llvm-N-dev clang-N, or ./demo, which does it.")
endif()
if(LLVM_VERSION_MAJOR GREATER SW_LLVM_NEWEST)
  message(STATUS "LLVM ${LLVM_VERSION_MAJOR} is newer than \
${SW_LLVM_NEWEST}, the newest that we know")
endif()
find_program(SW_CLANG NAMES clang-${LLVM_VERSION_MAJOR}
  HINTS ${LLVM_TOOLS_BINARY_DIR} NO_CACHE)
if(NOT SW_CLANG)
  set(SW_CLANG "")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
