/*===- tc-c/Program.h - Programs of several statements ------------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Several contractions, each on what those before it have made, or one       *|
|* product of many tensors: compiled together, and run by one call. Since     *|
|* interface 12.                                                              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_PROGRAM_H
#define TC_C_PROGRAM_H

#include "tc-c/Contraction.h"
#include "tc-c/Package.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A compiled program. It does not change: any number of threads may use it at
 *  once. */
typedef struct TcProgram TcProgram;

/** Compiles the program that a text describes (docs/programs.md). The order of
 *  each product is the one that is predicted to be the fastest, and what
 *  products share is computed once.
 *
 *  @param notation  "tensors" or "octopi"
 *  @param options   NULL for the defaults. Those of a single contraction
 *                   ("alpha", "beta", "schedule", "epilogue", conjugates and
 *                   the like) are errors if they are set; "memory-limit" bounds
 *                   the temporaries of each product. With "specialize", a
 *                   program of one product is compiled later or not at all,
 *                   unless "tile-chains" is set
 *  @param program   the result, which the caller owns
 *
 *  Errors have the place in the text, as in "text:2:5: error: ...". */
TC_EXPORT TcError *tcProgramCompile(const char *text, const char *notation,
                                    const TcOptions *options,
                                    TcProgram **program);

/** Compiles a product of many tensors. Its parameters are called "operand0",
 *  "operand1" and so on, and "result".
 *
 *  With the option "path", it is computed in that order, one that opt_einsum
 *  has found, for example: a step of more than two positions multiplies from
 *  the left to the right, and one of a single position moves that to the end.
 *  The layouts of temporaries are chosen as for other orders. A path that names
 *  what is not there, or leaves more than one tensor, is an error which names
 *  the step.
 *
 *  @param spec      an einsum specification, as tcSubscriptsExpand takes it
 *  @param tensors   the operands, all of one type, which the result has, too.
 *                   They are contiguous, and have the same extent along each
 *                   index: nothing is broadcast
 *  @param operands  1 to 4096 */
TC_EXPORT TcError *tcProgramCompileEinsum(const char *spec,
                                          const TcTensor *tensors,
                                          int32_t operands,
                                          const TcOptions *options,
                                          TcProgram **program);

/** Reads a text, and says what it is that tcProgramCompile would compile. Since
 *  interface 17.
 *
 *  @param buffer  becomes a JSON object and a zero byte; cut off at `size`
 *                 bytes. NULL if `size` is zero. Of its "tensors", in the order
 *                 of the text, each has a "name", an "element_type" (a
 *                 TcElementType) and "extents". Each of its "steps" is one
 *                 product: its "inputs", each the number of a "tensor" and its
 *                 "indices"; its "factor"; the number of its "output" with its
 *                 "indices"; and whether that "accumulates", or is defined. A
 *                 statement that adds up several is one step after the other.
 *                 "arguments" and "results" are numbers of tensors, and
 *                 "unknown" the indices whose extents each call says, for which
 *                 those of the tensors are only representative
 *  @param length  how many bytes that takes without the zero byte
 *
 *  Errors have the place in the text. */
TC_EXPORT TcError *tcProgramDescribe(const char *text, const char *notation,
                                     char *buffer, size_t size, size_t *length);

/** Ends the life of a program and of all that it gave out, when all that was
 *  launched is done; NULL is allowed. */
TC_EXPORT void tcProgramDestroy(TcProgram *program);

/** The name of a program, that of option "name" or "program": the header and
 *  the object code have a function of that name and "_run", and the package a
 *  program. It lives as long as the program; NULL of NULL. Since interface 13.
 */
TC_EXPORT const char *tcProgramGetName(const TcProgram *program);

/** Number of tensors that a program takes: those that it reads, in the order of
 * the text, and then the results that are none of these. Zero of NULL. */
TC_EXPORT int32_t tcProgramGetParameterCount(const TcProgram *program);

/** One of them, which lives as long as the program; NULL if there are not so
 *  many. */
TC_EXPORT const TcPackageTensor *tcProgramGetParameter(const TcProgram *program,
                                                       int32_t parameter);

/** The size of what the program needs for temporaries, and of what the address
 *  of that is a multiple, in bytes; zero of NULL. Both stay as they are when
 *  code takes over, which has memory of its own if it needs more. */
TC_EXPORT int64_t tcProgramGetWorkspaceBytes(const TcProgram *program);
TC_EXPORT int64_t tcProgramGetWorkspaceAlignment(const TcProgram *program);

/** Runs a program that is compiled for the CPU, and returns when it is done.
 *
 *  @param tensors    the element of each parameter whose coordinates are all
 *                    zero, aligned to an element's size. One that is written
 *                    overlaps no other
 *  @param count      how many there are
 *  @param workspace  memory that nothing else uses during the call, and which
 *                    may hold anything. NULL for one that the program has, and
 *                    keeps for later runs
 *
 *  Fails before anything is written, unless memory is short. */
TC_EXPORT TcError *tcProgramRun(const TcProgram *program, void *const *tensors,
                                int32_t count, void *workspace);

/** Of a program some of whose extents each call says (docs/programs.md): how
 * many these are, zero of others and of NULL, and what their indices are
 * called; NULL if there are not so many. An extent of -1 - n in
 * tcProgramGetParameter is the n-th of them; strides are zero there. Since
 * interface 16. */
TC_EXPORT int32_t tcProgramGetExtentCount(const TcProgram *program);
TC_EXPORT const char *tcProgramGetExtentName(const TcProgram *program,
                                             int32_t extent);

/** The size of the workspace for these extents, in bytes. Since interface 16.
 *
 *  @param extents  in that order, none negative, and none zero for a device
 *  @param count    how many there are */
TC_EXPORT TcError *tcProgramGetShapedWorkspaceBytes(const TcProgram *program,
                                                    const int64_t *extents,
                                                    int32_t count,
                                                    int64_t *bytes);

/** Runs such a program with these extents, as tcProgramRun does. All tensors
 * are contiguous. Without a workspace, there is one during the call. Where
 * memory is short, a part may have been run. Since interface 16. */
TC_EXPORT TcError *tcProgramRunShaped(const TcProgram *program,
                                      const int64_t *extents,
                                      int32_t extentCount, void *const *tensors,
                                      int32_t count, void *workspace);

/** The package of a program that is compiled for a GPU, whose program 0 it is,
 *  to be launched by tcPackageRunProgram or as a graph. It lives as long as the
 *  program; NULL if that is compiled for the CPU. */
TC_EXPORT const TcPackage *tcProgramGetPackage(const TcProgram *program);

/** Gives out TC_ARTIFACT_PTX or TC_ARTIFACT_PACKAGE of a GPU, or
 *  TC_ARTIFACT_OBJECT, TC_ARTIFACT_HEADER, TC_ARTIFACT_CACHE or
 *  TC_ARTIFACT_WARNINGS of a CPU, as tcContractionGet does. Without code, a CPU
 *  has warnings alone. */
TC_EXPORT TcError *tcProgramGet(const TcProgram *program, TcArtifact artifact,
                                const char **data, size_t *size);

#ifdef __cplusplus
}
#endif

#endif /* TC_C_PROGRAM_H */
