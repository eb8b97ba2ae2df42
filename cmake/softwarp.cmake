# SPDX-License-Identifier: Apache-2.0
# Flags of every C file, and the helpers by which folders declare themselves.

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wstrict-prototypes -Wmissing-prototypes -Wvla
  -ffp-contract=off -fvisibility=hidden)
# Loops that an optimiser was asked to vectorise and could not, as with
# sanitizers, are slow, not wrong.
add_compile_options($<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
add_compile_definitions(_GNU_SOURCE)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(SW_VARIANTS v2 v3 v4)
  set(SW_LEAST_FLAGS -march=x86-64-v2)
  set(SW_VARIANT_FLAGS_v2 -march=x86-64-v2)
  set(SW_VARIANT_FLAGS_v3 -march=x86-64-v3)
  set(SW_VARIANT_FLAGS_v4 -march=x86-64-v4 -mprefer-vector-width=512)
else()
  set(SW_VARIANTS base)
endif()

# What the engine is made of: object libraries, collected by the two below.
define_property(GLOBAL PROPERTY SW_OBJECT_LIBRARIES)

function(sw_object_library name)
  add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR}/src
    ${CMAKE_SOURCE_DIR}/include)
  # Protected: the same code as for hidden symbols, and a linker script may
  # still export them.
  target_compile_options(${name} PRIVATE ${SW_LEAST_FLAGS}
    -fvisibility=protected)
  set_property(GLOBAL APPEND PROPERTY SW_OBJECT_LIBRARIES ${name})
endfunction()

# sw_module(NAME [files...]): the folder's .c files as the object library
# sw_NAME, part of the engine. Files are found, not listed: a new one needs no
# registration. A folder without files makes no library.
function(sw_module name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.c)
  if(sources OR ARGN)
    sw_object_library(sw_${name} ${sources} ${ARGN})
  endif()
endfunction()

# sw_variants(TARGET file...): compiles these files of the module (sw_NAME)
# once for every instruction set we choose between at run time, with
# SW_VARIANT defined as its name, instead of once.
function(sw_variants target)
  get_target_property(sources ${target} SOURCES)
  foreach(file ${ARGN})
    get_filename_component(path ${file} ABSOLUTE)
    list(REMOVE_ITEM sources ${path})
    list(APPEND paths ${path})
  endforeach()
  set_property(TARGET ${target} PROPERTY SOURCES ${sources})
  foreach(variant ${SW_VARIANTS})
    sw_object_library(${target}_${variant} ${paths})
    target_compile_definitions(${target}_${variant} PRIVATE
      SW_VARIANT=${variant})
    target_compile_options(${target}_${variant} PRIVATE -O3
      -fno-math-errno -fno-trapping-math ${SW_VARIANT_FLAGS_${variant}})
    add_dependencies(${target} ${target}_${variant})
  endforeach()
endfunction()

# sw_engine(TARGET): links every module declared so far into TARGET.
function(sw_engine target)
  get_property(modules GLOBAL PROPERTY SW_OBJECT_LIBRARIES)
  foreach(module ${modules})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${module}>)
  endforeach()
  get_target_property(type ${target} TYPE)
  set(scope PUBLIC) # who links it statically
  if(type STREQUAL SHARED_LIBRARY)
    set(scope PRIVATE)
  endif()
  target_link_libraries(${target} ${scope} ${SW_ZSTD} ${SW_LZ4} m
    Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

# sw_exports(TARGET SCRIPT): a shared library exporting what SCRIPT, a linker
# version script, says and nothing else.
function(sw_exports target script)
  # What is missing is missing here, not in the programs (sanitizers bring
  # their symbols only with the program).
  target_link_options(${target} PRIVATE -Wl,--version-script=${script}
    $<$<CONFIG:Release>:-Wl,-z,defs>)
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
  target_compile_options(${target} PRIVATE -fvisibility=default)
endfunction()

# sw_api_library(TARGET): a shared library that stands on the engine, which it
# finds beside itself.
function(sw_api_library target)
  target_link_libraries(${target} PRIVATE softwarp_engine)
  set_target_properties(${target} PROPERTIES BUILD_RPATH "$ORIGIN"
    INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
endfunction()

# sw_test(NAME file...): one test binary, a ctest of the same name. It links
# the engine and ends on `NAME: N passed, N failed`; see tests/check.h.
function(sw_test name)
  string(REPLACE "/" "_" target test_${name})
  add_executable(${target} ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src
    ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(${target} PRIVATE SW_TEST_NAME="${name}")
  target_link_libraries(${target} PRIVATE softwarp_core)
  set_property(TARGET ${target} PROPERTY RUNTIME_OUTPUT_DIRECTORY
    ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${target} WORKING_DIRECTORY
    ${CMAKE_SOURCE_DIR})
  sw_test_limits(${name} 180)
endfunction()

# sw_test_limits(NAME SECONDS): what it may take on an idle machine, and three
# times that on any; exit status 77 is a skip.
function(sw_test_limits name seconds)
  math(EXPR seconds "3 * ${seconds}")
  set_tests_properties(${name} PROPERTIES TIMEOUT ${seconds}
    SKIP_RETURN_CODE 77)
endfunction()
