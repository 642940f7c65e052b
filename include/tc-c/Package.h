/*===- tc-c/Package.h - Packages on CUDA devices ------------------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Kernels that were compiled before (docs/package.md), launched on tensors   *|
|* that lie on a CUDA device. All of this is in libtc_launch, which needs no  *|
|* compiler where it runs, and in libtc. Since interface 6.                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_PACKAGE_H
#define TC_C_PACKAGE_H

#include "tc-c/Base.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*--- Packages ---------------------------------------------------------------*/

/** A package. It does not change: any number of threads may use it at once. */
typedef struct TcPackage TcPackage;

/** Reads a package: the launch description at `path`, and the code beside it.
 *
 *  @param package  the result, which the caller owns */
TC_EXPORT TcError *tcPackageLoad(const char *path, TcPackage **package);

/** Makes a package from a launch description and its code, which are copied.
 *
 *  @param description  JSON
 *  @param code         PTX or a cubin, as the description says
 *  @param codeBytes    without a zero byte behind PTX */
TC_EXPORT TcError *tcPackageCreate(const char *description, const void *code,
                                   size_t codeBytes, TcPackage **package);

/** Ends the life of a package and of all that it gave out, when all that was
 *  launched is done; NULL is allowed. */
TC_EXPORT void tcPackageDestroy(TcPackage *package);

/** The launch description as JSON, and the chip that the code is for, as in
 *  "sm_90". Of NULL, these and the functions below give what they give where
 *  there is no such kernel. */
TC_EXPORT const char *tcPackageGetDescription(const TcPackage *package);
TC_EXPORT const char *tcPackageGetTarget(const TcPackage *package);

/** Number of kernels, versions of others included, which are numbered in the
 * order of the description. */
TC_EXPORT int32_t tcPackageGetKernelCount(const TcPackage *package);

/** The name of a kernel; NULL if there are not so many. */
TC_EXPORT const char *tcPackageGetKernelName(const TcPackage *package,
                                             int32_t kernel);

/** A tensor that a kernel takes. The arrays live as long as the package. Of a
 *  kernel that adds all elements of its result up, C is one number, and its
 *  strides are zero. */
typedef struct TcPackageTensor {
  /** "A", "B" or "C", what the epilogue calls an auxiliary tensor, or a tensor
   *  of another contraction of the kernel, "A1", "C1", "B2" and so on. */
  const char *name;
  TcElementType type;
  int32_t rank;
  /** In elements. Neighbouring dimensions of the contraction that was compiled
   *  may be one here. */
  const int64_t *extents;
  const int64_t *strides;
  /** The tensor's least address is a multiple of so many bytes. */
  int64_t alignment;
  int32_t isRead;
  int32_t isWritten;
} TcPackageTensor;

/** Number of tensors that a kernel takes: A, B, C, the auxiliary tensors and
 * those of its other contractions. Zero if there is no such kernel. */
TC_EXPORT int32_t tcPackageGetTensorCount(const TcPackage *package,
                                          int32_t kernel);

/** One of them, in that order; NULL if there are not so many. */
TC_EXPORT const TcPackageTensor *
tcPackageGetTensor(const TcPackage *package, int32_t kernel, int32_t tensor);

/** The type of alpha and beta, and of sums; 0 if there is no such kernel. */
TC_EXPORT TcElementType tcPackageGetScalarType(const TcPackage *package,
                                               int32_t kernel);

/** True if each launch gives alpha, or beta. */
TC_EXPORT int32_t tcPackageTakesAlpha(const TcPackage *package, int32_t kernel);
TC_EXPORT int32_t tcPackageTakesBeta(const TcPackage *package, int32_t kernel);

/** Queues one run of a kernel, as tcContractionLaunch does
 *  (tc-c/Contraction.h), with the same rules for pointers and streams. Where
 *  pointers are not aligned as it takes them to be, the first of its versions
 *  that takes them runs in its place (docs/package.md).
 *
 *  @param tensors  the element of each tensor whose coordinates are all zero. A
 *                  B without dimensions may be NULL: it is the semiring's one
 *                  then, which contractions of one operand are multiplied by.
 *                  Since interface 21
 *  @param count    how many there are */
TC_EXPORT TcError *tcPackageLaunch(const TcPackage *package, int32_t kernel,
                                   void *const *tensors, int32_t count,
                                   const void *alpha, const void *beta,
                                   void *stream);

/** The same for a kernel that takes its shape at run time: on tensors of other
 *  extents and strides than those that the package says, which are those that
 *  it is tuned for. Of the kernel and its versions, the one runs that takes the
 *  shape and the pointers, and was tuned for the nearest shape. Since interface
 *  7.
 *
 *  @param shapes  those of A, B and C, and then, since interface 21, of the
 *                 auxiliary tensors, dimension by dimension as
 *                 tcPackageGetTensor describes them; strides are given, too, of
 *                 zero for a C whose elements are added up */
TC_EXPORT TcError *tcPackageLaunchShaped(const TcPackage *package,
                                         int32_t kernel, void *const *tensors,
                                         int32_t count,
                                         const TcTensorShape *shapes,
                                         const void *alpha, const void *beta,
                                         void *stream);

/*--- Programs ---------------------------------------------------------------*/

/** Number of programs in a package: kernels that run one after the other, each
 * on what those before it have made (docs/package.md). Since interface 12. */
TC_EXPORT int32_t tcPackageGetProgramCount(const TcPackage *package);

/** The name of a program; NULL if there are not so many. */
TC_EXPORT const char *tcPackageGetProgramName(const TcPackage *package,
                                              int32_t program);

/** Number of tensors that a program takes; zero if there is no such program. */
TC_EXPORT int32_t tcPackageGetParameterCount(const TcPackage *package,
                                             int32_t program);

/** One of them, with the name that it has in the text that the program was made
 *  from; NULL if there are not so many. `isRead` says whether what it holds
 *  before is read. */
TC_EXPORT const TcPackageTensor *tcPackageGetParameter(const TcPackage *package,
                                                       int32_t program,
                                                       int32_t parameter);

/** The size of what the program needs for temporaries, and of what the address
 *  of that is a multiple, in bytes; zero if there is no such program. */
TC_EXPORT int64_t tcPackageGetWorkspaceBytes(const TcPackage *package,
                                             int32_t program);
TC_EXPORT int64_t tcPackageGetWorkspaceAlignment(const TcPackage *package,
                                                 int32_t program);

/** Number of launches and copies in a run of the program. */
TC_EXPORT int32_t tcPackageGetStepCount(const TcPackage *package,
                                        int32_t program);

/** Queues one run of a program, with the rules of tcContractionLaunch for
 *  pointers and streams.
 *
 *  @param tensors    the element of each parameter whose coordinates are all
 *                    zero. One that is written overlaps no other
 *  @param count      how many there are
 *  @param workspace  memory on the device that nothing else uses until the run
 *                    is done, and which may hold anything. NULL for one that
 *                    the package has for each stream, as kernels do; then the
 *                    stream cannot be captured in a CUDA graph
 *
 *  Fails before anything is queued, unless it is with TC_ERROR_DRIVER. Since
 *  interface 12. */
TC_EXPORT TcError *tcPackageRunProgram(const TcPackage *package,
                                       int32_t program, void *const *tensors,
                                       int32_t count, void *workspace,
                                       void *stream);

/** Of a program some of whose extents each run says (docs/programs.md): how
 *  many these are, zero of others, and what their indices are called; NULL if
 *  there are not so many. An extent of -1 - n in tcPackageGetParameter is the
 *  n-th of them; strides are zero there. Since interface 17. */
TC_EXPORT int32_t tcPackageGetExtentCount(const TcPackage *package,
                                          int32_t program);
TC_EXPORT const char *tcPackageGetExtentName(const TcPackage *package,
                                             int32_t program, int32_t extent);

/** The size of the workspace for these extents, in bytes. Since interface 17.
 *
 *  @param extents  in that order, each at least 1
 *  @param count    how many there are */
TC_EXPORT TcError *tcPackageGetShapedWorkspaceBytes(const TcPackage *package,
                                                    int32_t program,
                                                    const int64_t *extents,
                                                    int32_t count,
                                                    int64_t *bytes);

/** Queues one run of such a program with these extents, as tcPackageRunProgram
 *  does. All tensors are contiguous. Workspaces of the package are as large as
 *  the next power of two. Since interface 17. */
TC_EXPORT TcError *
tcPackageRunShapedProgram(const TcPackage *package, int32_t program,
                          const int64_t *extents, int32_t extentCount,
                          void *const *tensors, int32_t count, void *workspace,
                          void *stream);

/** A run of a program on certain tensors as a CUDA graph: all launches are one
 *  call of the driver. Since interface 12. */
typedef struct TcProgramGraph TcProgramGraph;

/** Makes it, with arguments as those of tcPackageRunProgram. The package and
 *  the memory must outlive it.
 *
 *  @param workspace  NULL for one that the graph has
 *  @param graph      the result, which the caller owns */
TC_EXPORT TcError *tcProgramGraphCreate(const TcPackage *package,
                                        int32_t program, void *const *tensors,
                                        int32_t count, void *workspace,
                                        TcProgramGraph **graph);

/** The same of a program that takes extents. Since interface 17. */
TC_EXPORT TcError *
tcShapedProgramGraphCreate(const TcPackage *package, int32_t program,
                           const int64_t *extents, int32_t extentCount,
                           void *const *tensors, int32_t count, void *workspace,
                           TcProgramGraph **graph);

/** Queues one run, which must not overlap another of the same graph. */
TC_EXPORT TcError *tcProgramGraphLaunch(const TcProgramGraph *graph,
                                        void *stream);

/** Ends its life when all that was launched is done; NULL is allowed. */
TC_EXPORT void tcProgramGraphDestroy(TcProgramGraph *graph);

/*--- Devices ----------------------------------------------------------------*/

/** Finds the device on which memory lies; the host's memory is an error.
 *
 *  @param ordinal     its number
 *  @param capability  ten times the major number of its compute capability plus
 *                     the minor one; NULL if it is of no interest */
TC_EXPORT TcError *tcPointerGetDevice(const void *pointer, int32_t *ordinal,
                                      int32_t *capability);

/** Lets what is queued on stream `later` from now on begin when all that is
 *  queued on `earlier` by now is done. Both are streams of that device. */
TC_EXPORT TcError *tcStreamsOrder(int32_t device, void *earlier, void *later);

/** The built-in target whose code is made for a compute capability, or for the
 *  nearest one below; NULL if there is none. Lives as long as the process. */
TC_EXPORT const char *tcTargetForCapability(int32_t capability);

#ifdef __cplusplus
}
#endif

#endif /* TC_C_PACKAGE_H */
