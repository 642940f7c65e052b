# Tests the folders that files for pkg-config name, for relative and absolute ones. Run
# by cmake -P, with the project's folder as -DSOURCE and one to write to as -DFOLDER.
include("${SOURCE}/cmake/TCPkgConfig.cmake")
set(PROJECT_VERSION 1.2.3)
set(CMAKE_INSTALL_PREFIX /opt/tc)

function(expect libdir includedir prefix expected)
  set(CMAKE_INSTALL_LIBDIR "${libdir}")
  set(CMAKE_INSTALL_INCLUDEDIR "${includedir}")
  tc_configure_pkg_config("${FOLDER}" tc "A library")
  file(READ "${FOLDER}/tc.pc" text)
  set(begin "prefix=${prefix}\nlibdir=\${pcfiledir}/..\nincludedir=${expected}\n\n")
  string(FIND "${text}" "${begin}" place)
  if(NOT place EQUAL 0)
    message(FATAL_ERROR "for ${libdir} and ${includedir}: expected\n${begin}got\n${text}")
  endif()
endfunction()

expect(lib include "\${pcfiledir}/../.." "\${prefix}/include")
expect(lib/x86_64-linux-gnu include/tc "\${pcfiledir}/../../.." "\${prefix}/include/tc")
expect(/usr/lib64 /usr/include /opt/tc "\${pcfiledir}/../../include")
expect(/usr/lib64 include /opt/tc "\${prefix}/include")
expect(lib /usr/include "\${pcfiledir}/../.." /usr/include)
