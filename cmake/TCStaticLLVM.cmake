# Links programs with LLVM's and MLIR's static archives: such a program starts 30 ms
# sooner than with the shared libraries, whose tens of thousands of relocations by name
# are resolved at every start, and takes two seconds longer to link. For programs that
# are started often and load no plugins.

option(TC_STATIC_TOOLS
       "Link what programs that are started often use of LLVM into them" ON)

# Sets `result` to the libraries to link, or to nothing and `reason` to the
# reason.
function(tc_find_static_llvm result reason)
  set(${result} "" PARENT_SCOPE)
  find_program(TC_LLVM_CONFIG llvm-config
    HINTS "${LLVM_TOOLS_BINARY_DIR}" NO_DEFAULT_PATH)
  if(NOT TC_LLVM_CONFIG)
    set(${reason} "no llvm-config in ${LLVM_TOOLS_BINARY_DIR}" PARENT_SCOPE)
    return()
  endif()
  execute_process(
    COMMAND "${TC_LLVM_CONFIG}" --link-static --libfiles passes orcjit all-targets
    OUTPUT_VARIABLE archives OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_VARIABLE told RESULT_VARIABLE failed)
  execute_process(
    COMMAND "${TC_LLVM_CONFIG}" --link-static --system-libs
    OUTPUT_VARIABLE system OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(failed)
    set(${reason} "${told}" PARENT_SCOPE)
    return()
  endif()
  separate_arguments(archives)
  separate_arguments(system)
  foreach(archive IN LISTS archives)
    if(NOT EXISTS "${archive}")
      set(${reason} "no ${archive}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(NOT EXISTS "${LLVM_LIBRARY_DIR}/libMLIRIR.a")
    set(${reason} "no ${LLVM_LIBRARY_DIR}/libMLIRIR.a" PARENT_SCOPE)
    return()
  endif()
  # The list has shared libraries, too.
  get_property(libraries GLOBAL PROPERTY MLIR_ALL_LIBS)
  foreach(library IN LISTS libraries)
    set(archive "${LLVM_LIBRARY_DIR}/lib${library}.a")
    if(EXISTS "${archive}")
      list(PREPEND archives "${archive}")
    endif()
  endforeach()
  # Debian names libraries here whose development files its package does not need.
  set(found)
  foreach(library IN LISTS system)
    string(REGEX REPLACE "^-l" "" name "${library}")
    find_library(TC_SYSTEM_LIBRARY_${name} NAMES ${name} lib${name}.so.1)
    mark_as_advanced(TC_SYSTEM_LIBRARY_${name})
    if(TC_SYSTEM_LIBRARY_${name})
      list(APPEND found "${TC_SYSTEM_LIBRARY_${name}}")
    elseif(EXISTS "${library}")
      list(APPEND found "${library}")
    else()
      set(${reason} "no library ${name}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  # One argument, so that CMake leaves the order as it is.
  list(JOIN archives "," archives)
  set(${result} "-Wl,--start-group,${archives},--end-group;${found}" PARENT_SCOPE)
endfunction()

if(TC_STATIC_TOOLS)
  include(CheckLinkerFlag)
  check_linker_flag(CXX -Wl,--no-mmap-output-file TC_WRITES_PROGRAMS_AT_ONCE)
  tc_find_static_llvm(static_llvm why)
  if(static_llvm)
    add_library(TCStaticLLVM INTERFACE)
    target_link_libraries(TCStaticLLVM INTERFACE ${static_llvm})
    message(STATUS "Linking programs that are started often with LLVM's static archives")
  else()
    message(STATUS "Linking LLVM's shared libraries only: ${why}")
  endif()
endif()

# Lets a program carry the parts that it uses of LLVM and of the C++ library, whose
# virtual tables are relocations by name, too, where that can be. Code for the CPU
# that was just compiled takes functions of GCC's library, which stays a shared one.
# A file that the linker has mapped into its memory lies in the page cache in single
# pages, and in large ones if it is written at once: programs then start 2 ms
# sooner, and are 5 ms faster in all, as they take fewer page faults.
function(tc_link_llvm_statically target)
  if(TARGET TCStaticLLVM)
    set_target_properties(${target} PROPERTIES TC_STATIC_LLVM ON)
    target_link_libraries(${target} PRIVATE TCStaticLLVM)
    target_link_options(${target} PRIVATE
      -no-pie -static-libstdc++ -Wl,--gc-sections -Wl,--as-needed
      $<$<BOOL:${TC_WRITES_PROGRAMS_AT_ONCE}>:-Wl,--no-mmap-output-file>)
  endif()
endfunction()
