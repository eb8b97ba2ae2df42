# SPDX-License-Identifier: Apache-2.0
# find_package(Softwarp): the command, the libraries, and tests that run under
# the command.
#
#   Softwarp_COMMAND    the path of softwarp
#   Softwarp_TOOLKIT    a folder like a toolkit's, for CUDAToolkit_ROOT; its
#                       bin/nvcc for CMAKE_CUDA_COMPILER
#   Softwarp::cudart    the runtime library, with its headers
#   Softwarp::cuda      the driver library, with its headers
#
#   softwarp_add_test(NAME name COMMAND command [argument...]
#                     [DEVICE name] [CHECK tools])
# A test that fails when the program does, or when a kernel fails whatever the
# program says. DEVICE: the one to pretend to be. CHECK: under `softwarp check`
# with these tools ("race,memory", "all"), where a finding fails the test.
get_filename_component(Softwarp_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.."
  ABSOLUTE)
set(Softwarp_COMMAND ${Softwarp_PREFIX}/bin/softwarp)
set(Softwarp_TOOLKIT ${Softwarp_PREFIX}/lib/softwarp/toolkit)
set(Softwarp_FOUND TRUE)
foreach(path ${Softwarp_COMMAND} ${Softwarp_TOOLKIT}/bin/nvcc
    ${Softwarp_PREFIX}/lib/softwarp/libcudart.so)
  if(NOT EXISTS ${path})
    set(Softwarp_FOUND FALSE)
    set(Softwarp_NOT_FOUND_MESSAGE "${path} is missing")
  endif()
endforeach()

foreach(pair cudart=libcudart.so cuda=libcuda.so.1)
  string(REGEX MATCH "(.*)=(.*)" pair ${pair})
  if(NOT TARGET Softwarp::${CMAKE_MATCH_1})
    add_library(Softwarp::${CMAKE_MATCH_1} SHARED IMPORTED)
    set_target_properties(Softwarp::${CMAKE_MATCH_1} PROPERTIES
      IMPORTED_LOCATION ${Softwarp_PREFIX}/lib/softwarp/${CMAKE_MATCH_2}
      INTERFACE_INCLUDE_DIRECTORIES ${Softwarp_PREFIX}/include/softwarp/cuda)
  endif()
endforeach()

function(softwarp_add_test)
  cmake_parse_arguments(test "" "NAME;DEVICE;CHECK" "COMMAND" ${ARGN})
  if(NOT test_NAME OR NOT test_COMMAND OR test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "softwarp_add_test(NAME name COMMAND command \
[argument...] [DEVICE name] [CHECK tools]), not: ${ARGN}")
  endif()
  set(run run --error-exitcode 86)
  if(test_CHECK)
    set(run check --tool ${test_CHECK})
  endif()
  if(test_DEVICE)
    list(APPEND run --device ${test_DEVICE})
  endif()
  list(POP_FRONT test_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  add_test(NAME ${test_NAME} COMMAND ${Softwarp_COMMAND} ${run} ${program}
    ${test_COMMAND})
endfunction()
