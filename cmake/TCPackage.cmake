# Installs the files by which others find the libraries: the package that
# find_package(TC) finds, and for each library of C a file for pkg-config. Then the
# files that C++ programs link and include to embed the compiler: static libraries,
# exported as targets, and their headers. docs/embedding.md has the contract.

include(CMakePackageConfigHelpers)
include(TCPkgConfig)

# tc_configure_package(FOLDER): writes the package's files into a folder.
function(tc_configure_package folder)
  set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/TC")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/TCConfig.cmake.in"
    "${folder}/TCConfig.cmake" INSTALL_DESTINATION "${config_dir}"
    PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
  write_basic_package_version_file("${folder}/TCConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
endfunction()

# The libraries of C: target, component of the installation, and description.
set(TC_C_LIBRARIES
  "TCC|libtc|The compiler of tensor contractions"
  "TCTapp|libtc|TAPP's functions over libtc"
  "TCLaunch|launch|Launches packages of compiled tensor contractions"
  "TCCpuContract|cpu_runtime|Tensor contractions on CPUs by ahead-of-time kernels"
  "TCCudaRuntime|cuda_runtime|MLIR's CUDA runtime functions, without a CUDA toolkit")

set(package_dir "${PROJECT_BINARY_DIR}/package")
tc_configure_package("${package_dir}")
set(components compiler)
foreach(entry IN LISTS TC_C_LIBRARIES)
  string(REPLACE "|" ";" entry "${entry}")
  list(GET entry 0 target)
  list(GET entry 1 component)
  list(GET entry 2 description)
  if(NOT TARGET ${target})
    continue()
  endif()
  # With sanitizers, some are static libraries, which are not installed.
  get_target_property(library ${target} OUTPUT_NAME)
  if(NOT library)
    continue()
  endif()
  tc_configure_pkg_config("${package_dir}" ${library} "${description}")
  install(FILES "${package_dir}/${library}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT ${component})
  list(APPEND components ${component})
endforeach()
list(REMOVE_DUPLICATES components)
# Each component alone is a package.
foreach(component IN LISTS components)
  install(FILES "${package_dir}/TCConfig.cmake" "${package_dir}/TCConfigVersion.cmake"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/TC" COMPONENT ${component})
endforeach()

if(TC_RUNTIME_ONLY)
  return()
endif()

add_library(TCEmbedded INTERFACE)
target_compile_features(TCEmbedded INTERFACE cxx_std_17)
target_link_libraries(TCEmbedded INTERFACE
  TCImport TCInitAll)
set_target_properties(TCEmbedded PROPERTIES EXPORT_NAME Compiler)

install(TARGETS
  TCAnalysis TCBuffers TCCpu TCCpuRuntime TCDialect TCDialectUtils TCEmbedded TCExplain TCGpuCost
  TCGpuAtoms TCGpuLayout TCGpuSearch TCHierarchy TCHostCode TCImport TCImportText TCInitAll TCJudge
  TCMachine TCMachineCode TCOnDemand TCPackage TCPipelines TCProblem TCProgram TCSharding TCSupport TCSupportMLIR
  TCTargetCommon TCTargetCPU TCTargetPTX TCTiming TCToCPU TCToGPU TCToLinalg
  TCTransformOps TCTransforms TCTuning ExpandFloat8 LinalgToTC
  EXPORT TCTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT compiler)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tc"
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT compiler
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.def")
install(DIRECTORY "${PROJECT_BINARY_DIR}/include/tc"
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT compiler
  FILES_MATCHING PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)

install(EXPORT TCTargets NAMESPACE TC::
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/TC" COMPONENT compiler)
