# Man pages and completions for bash, made from the output of the tools' --help.

find_package(Python3 3.9 COMPONENTS Interpreter)
if(NOT Python3_FOUND OR CMAKE_CROSSCOMPILING OR TC_ENABLE_SANITIZERS)
  message(STATUS "Man pages and completions are not made: they need Python, and "
    "tools that run here, without sanitizers")
  return()
endif()

set(tools)
foreach(tool tc-run tc-launch tc-bench tc-calibrate tc-time)
  if(TARGET ${tool})
    list(APPEND tools ${tool})
  endif()
endforeach()
set(folder "${PROJECT_BINARY_DIR}/share")
set(files)
set(programs)
foreach(tool ${tools})
  list(APPEND files "${folder}/man/man1/${tool}.1"
    "${folder}/bash-completion/completions/${tool}")
  list(APPEND programs $<TARGET_FILE:${tool}>)
endforeach()
add_custom_command(
  OUTPUT ${files}
  COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/scripts/tool_pages.py"
    --version=${PROJECT_VERSION} -o "${folder}" ${programs}
  DEPENDS ${tools} "${PROJECT_SOURCE_DIR}/scripts/tool_pages.py"
  COMMENT "Making man pages and completions"
  VERBATIM)
add_custom_target(tc-tool-pages ALL DEPENDS ${files})
install(DIRECTORY "${folder}/man" "${folder}/bash-completion"
  DESTINATION "${CMAKE_INSTALL_DATADIR}")
