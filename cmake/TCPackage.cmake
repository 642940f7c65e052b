# Installs what C++ programs that embed the compiler link and include: static
# libraries, exported as targets, their headers, and the package that
# find_package(TC) finds. docs/embedding.md has the contract.

add_library(TCEmbedded INTERFACE)
target_compile_features(TCEmbedded INTERFACE cxx_std_17)
target_link_libraries(TCEmbedded INTERFACE
  TCImport TCInitAll TCTargetCPU)
set_target_properties(TCEmbedded PROPERTIES EXPORT_NAME Compiler)

install(TARGETS
  TCAnalysis TCCpu TCCpuRuntime TCDialect TCDialectUtils TCEmbedded TCExplain TCGpuCost
  TCGpuLayout TCGpuSearch TCHierarchy TCHostCode TCImport TCImportText TCInitAll TCJudge
  TCMachine TCMachineCode TCPackage TCPipelines TCProblem TCProgram TCReference TCSharding TCSupport TCSupportMLIR
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

include(CMakePackageConfigHelpers)
set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/TC")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/TCConfig.cmake.in"
  package/TCConfig.cmake INSTALL_DESTINATION "${config_dir}"
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(package/TCConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
# Each component alone is a package.
foreach(component libtc cpu_runtime compiler)
  install(FILES
    "${CMAKE_CURRENT_BINARY_DIR}/package/TCConfig.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/package/TCConfigVersion.cmake"
    DESTINATION "${config_dir}" COMPONENT ${component})
endforeach()
install(EXPORT TCTargets NAMESPACE TC::
  DESTINATION "${config_dir}" COMPONENT compiler)
