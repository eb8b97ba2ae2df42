# SPDX-License-Identifier: Apache-2.0
# Run when the command is installed: its manual pages and completion of shells,
# which it writes itself. PREFIX, with DESTDIR, is where it lies.
set(command "${PREFIX}/bin/softwarp")

function(write arguments path)
  execute_process(COMMAND "${command}" help ${arguments}
    OUTPUT_VARIABLE text RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "softwarp help ${arguments}: ${status}")
  endif()
  file(WRITE "${PREFIX}/share/${path}" "${text}")
endfunction()

write("--man;softwarp" man/man1/softwarp.1)
write("--man;softwarp-environment" man/man7/softwarp-environment.7)
execute_process(COMMAND "${command}" help OUTPUT_VARIABLE usage)
string(REGEX MATCHALL "\n  [a-z]+ " names "${usage}")
foreach(name ${names})
  string(STRIP "${name}" name)
  write("--man;softwarp-${name}" man/man1/softwarp-${name}.1)
endforeach()
write("--completion;bash" bash-completion/completions/softwarp)
write("--completion;zsh" zsh/site-functions/_softwarp)
write("--completion;fish" fish/vendor_completions.d/softwarp.fish)
