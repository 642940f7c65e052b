# tc_configure_pkg_config(FOLDER LIBRARY DESCRIPTION): writes LIBRARY.pc, which lies in
# the folder pkgconfig of the libraries' folder and finds the rest from there, so that
# the installation may be moved. Folders that are absolute, as distributions have them,
# are found from there if both are, as then both move with the root.
function(tc_configure_pkg_config folder library description)
  set(pc_dir "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  set(include_dir "${CMAKE_INSTALL_INCLUDEDIR}")
  if(IS_ABSOLUTE "${pc_dir}")
    set(prefix "${CMAKE_INSTALL_PREFIX}")
    if(IS_ABSOLUTE "${include_dir}")
      file(RELATIVE_PATH include_dir "${pc_dir}" "${include_dir}")
      set(include_dir "\${pcfiledir}/${include_dir}")
    endif()
  else()
    file(RELATIVE_PATH to_prefix "/${pc_dir}" "/")
    string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
    set(prefix "\${pcfiledir}/${to_prefix}")
  endif()
  if(NOT IS_ABSOLUTE "${include_dir}" AND NOT include_dir MATCHES "^\\\${pcfiledir}")
    set(include_dir "\${prefix}/${include_dir}")
  endif()
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/library.pc.in"
    "${folder}/${library}.pc" @ONLY)
endfunction()
