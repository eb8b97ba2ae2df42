# SPDX-License-Identifier: Apache-2.0
# What other builds find us by (pkg-config, find_package) and the packages that
# `cpack` makes of a build: packaging/README.md.
include(CMakePackageConfigHelpers)
configure_file(${CMAKE_SOURCE_DIR}/packaging/softwarp.pc.in softwarp.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/softwarp.pc DESTINATION lib/pkgconfig)
write_basic_package_version_file(SoftwarpConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_SOURCE_DIR}/packaging/SoftwarpConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/SoftwarpConfigVersion.cmake
  DESTINATION lib/cmake/Softwarp)

# The page that a package owes its reader, the pages of docs, the examples.
set(doc share/doc/softwarp)
install(FILES LICENSE README.md CHANGELOG.md src/lib/rand/joe_kuo.LICENSE
  DESTINATION ${doc})
install(DIRECTORY docs/ DESTINATION ${doc}/docs COMPONENT softwarp-doc)
install(DIRECTORY examples/ DESTINATION ${doc}/examples COMPONENT softwarp-doc)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME softwarp)
set(CPACK_PACKAGE_VENDOR softwarp)
set(CPACK_PACKAGE_CONTACT "the authors of Softwarp <softwarp@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "a GPU made of software")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
# Paths are compiled in: what is packed lies where it was configured for.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)

set(CPACK_COMPONENTS_ALL softwarp softwarp-opencl softwarp-doc)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_SOFTWARP_PACKAGE_NAME softwarp)
set(CPACK_DEBIAN_SOFTWARP_PACKAGE_RECOMMENDS
  "clang-${LLVM_VERSION_MAJOR}, g++, libopenblas0-pthread")
set(CPACK_DEBIAN_SOFTWARP_PACKAGE_SUGGESTS "gdb, softwarp-doc, softwarp-opencl")
set(CPACK_COMPONENT_SOFTWARP_DESCRIPTION
  "CUDA programs on any computer, without a GPU.
 The softwarp command compiles CUDA C++, runs programs, checks and
 profiles them and predicts their times on real devices.")
set(CPACK_DEBIAN_SOFTWARP-OPENCL_PACKAGE_NAME softwarp-opencl)
set(CPACK_COMPONENT_SOFTWARP-OPENCL_DEPENDS softwarp)
set(CPACK_DEBIAN_SOFTWARP-OPENCL_PACKAGE_RECOMMENDS ocl-icd-libopencl1)
set(CPACK_COMPONENT_SOFTWARP-OPENCL_DESCRIPTION
  "An OpenCL platform for the loaders of OpenCL.
 Every OpenCL program sees the device that Softwarp imitates.")
set(CPACK_DEBIAN_SOFTWARP-DOC_PACKAGE_NAME softwarp-doc)
set(CPACK_DEBIAN_SOFTWARP-DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_SOFTWARP-DOC_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_SOFTWARP-DOC_PACKAGE_SECTION doc)
set(CPACK_COMPONENT_SOFTWARP-DOC_DESCRIPTION
  "The pages and the examples of Softwarp.")
include(CPack)
