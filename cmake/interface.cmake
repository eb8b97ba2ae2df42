# SPDX-License-Identifier: Apache-2.0
# Writes the engine's map of exported symbols. INTERFACE, in the name of the
# private version, is made of the headers' text: the loader refuses an API
# library that was built with others.
set(all)
foreach(header IN LISTS HEADERS)
  file(SHA256 ${header} hash)
  string(APPEND all ${hash})
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 12 hash)
set(INTERFACE ${VERSION}_${hash})
configure_file(${FROM} ${TO} @ONLY)
