/*===- tc-c/Contraction.h - Compiled contractions -----------------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* C = alpha * sum A * B + beta * C, compiled for given extents and strides   *|
|* and then run any number of times, from any number of threads.              *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_CONTRACTION_H
#define TC_C_CONTRACTION_H

#include "tc-c/Base.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/*--- Options ----------------------------------------------------------------*/

/** Settings by which contractions are compiled. One thread at a time may change
 * an object; any number may compile with it while none does. */
typedef struct TcOptions TcOptions;

/** Makes options with the defaults that tcOptionsSet lists. The caller owns
 *  `*options`. */
TC_EXPORT TcError *tcOptionsCreate(TcOptions **options);

/** Ends the life of options; NULL is allowed. Contractions that were compiled
 *  with them live on. */
TC_EXPORT void tcOptionsDestroy(TcOptions *options);

/** Sets one option; all are text. A key or a value that is unknown is an
 *  error, and then nothing is changed.
 *
 *  key                values (the first is the default)
 *  "target"           "cpu", which is this machine's, or a GPU such as "sm_90"
 *  "threads"          "0", as many as tcCpuThreadsGet of tc-c/CpuRuntime.h says
 *                     of which other runs have none, or the most threads that
 *                     a run may use; of a CPU only
 *  "specialize"       "always", or "never": ahead-of-time kernels
 *                     compute the contraction, and nothing is compiled; or
 *                     "auto": they do until there is code for it, which a
 *                     thread makes once runs have taken as long as that will
 *                     about, and the last bits of results may change then
 *                     (docs/cpu-runtime.md). Semirings, fused code, and
 *                     contractions whose "schedule", "strategy", "tuned" or
 *                     "workspace-limit" is given are compiled anyway. Of a
 *                     CPU only. Since interface 15
 *  "background"       "false", or "true": of code for a CPU that is made in a
 *                     thread which nobody waits for when the process ends, as
 *                     what "auto" makes (tcSpecializationEnd). Since interface
 *                     23
 *  "strategy"         "auto", "gett", "ttgt", "loop_over_gemm", "direct" or,
 *                     since interface 26, "library"; of a CPU only
 *  "library-calls"    "auto", "always" or "never": whether code may call
 *                     libtc_cpu_runtime where that is predicted to be faster,
 *                     with "auto" in this process, but not in
 *                     TC_ARTIFACT_OBJECT (docs/cpu-strategies.md). Of a CPU
 *                     only. Since interface 26
 *  "workspace-limit"  "-1", or the most bytes that the copies of strategy ttgt
 *                     may take
 *  "memory-limit"     "-1", or the most bytes that temporaries may take at the
 *                     same time; of tcOrderFind and of programs only. Since
 *                     interface 11
 *  "search-milliseconds"  "-1", a quarter of what the product is predicted to
 *                     take, from 100 to 2000; or about how long to search for
 *                     the order of a product of many tensors, at most an hour.
 *                     Of tcOrderFind and of programs only. Since interface 25
 *  "tile-chains"      "auto", "always" or "never": whether statements of a
 *                     program for the CPU that feed one another are computed
 *                     in tiles that stay in the second cache. Since interface
 *                     14
 *  "slices"           "none", or of which indices an order may have slices to
 *                     keep that limit: "output", those of the result, or "all".
 *                     Of tcOrderFind only. Since interface 11
 *  "path"             "", or the order in which tensors are multiplied, as in
 *                     "1,2 0,1": the positions that each step takes out of the
 *                     list of what there is, to whose end it appends its
 *                     result. Of tcProgramCompileEinsum only. Since interface
 *                     13
 *  "keep-sums"        "false", or "true": results between the steps of a
 *                     product have the type of sums, and not of its elements,
 *                     to which they would be rounded. Of tcProgramCompileEinsum
 *                     for a CPU, by ahead-of-time kernels only, whatever
 *                     "specialize" is. Since interface 28
 *  "schedule"         "", or a schedule to obey, in the compiler's syntax
 *  "tuned"            "", which is the file $TC_TUNED if that is set, or a
 *                     database (tc-c/Tuning.h) of which the best schedule is
 *                     obeyed if it has one for the contraction and the target;
 *                     or "off". Since interface 11
 *  "refine"           "1", or how many of the best schedules are compiled to
 *                     machine code, of which the one is taken that is predicted
 *                     from it to be fastest: that needs ptxas and nvdisasm, and
 *                     seconds. Of a GPU only. Since interface 9
 *  "precision"        "ieee", "tf32", "3xtf32" or "bf16x3": the least precise
 *                     arithmetic that is allowed; all but the first need
 *                     factors of f32
 *  "semiring"         "plus_times", "max_plus", "min_plus", "max_times",
 *                     "max_min", "min_max", "or_and" or "xor_and": what takes
 *                     the place of sum and product; the last two are of
 *                     integers
 *  "product"          "", or an expression in x and y: what two factors become
 *  "combine"          and what two sums become, in a semiring of your own, and
 *  "identity"         the number that the latter leaves others as they are
 *                     with, as "abs(x - y)", "max(x, y)" and "-inf". All three
 *                     or none; then alpha is "", and beta "" or, to combine
 *                     sums with what C held, "1"
 *  "alpha"            "", which is the semiring's one, a number, or "argument",
 *                     which tcContractionRun takes then. A number that the type
 *                     of sums does not hold, as "0.5" of integers, is an error
 *                     when a contraction is compiled
 *  "beta"             "", which is the semiring's zero, a number, or
 *                     "argument". C is read only if beta is not that zero, or
 *                     if the epilogue has c in it
 *  "conjugate-a"      "false", or "true": multiply the complex conjugates of
 *  "conjugate-b"      A's or B's elements (false)
 *  "allow-three-products"  "false", or "true": complex products may be computed
 *                     by three real ones instead of four (false)
 *  "saturate"         "true", or "false": results beyond the range of an 8-bit
 *                     float become its largest number, or else infinite or, of
 *                     TC_ELEMENT_F8E4M3FN, which has no infinities, NaN. Since
 *                     interface 23
 *  "dynamic-shapes"   "false", or "true": extents and strides are arguments.
 *                     Of a GPU, those that are compiled for are what kernels
 *                     are tuned for (docs/package.md). tcContractionLaunch
 *                     takes these; for others, make a package of the artifacts
 *                     TC_ARTIFACT_PACKAGE and TC_ARTIFACT_PTX
 *                     (tcPackageCreate) and launch that by
 *                     tcPackageLaunchShaped. Since interface 10; since 7 as
 *                     "any-shape". Of a CPU, tcContractionRunShaped takes them;
 *                     ahead-of-time kernels compute the contraction, and
 *                     nothing is compiled but the artifacts that somebody asks
 *                     for: neither semirings nor fused code, and none of
 *                     "schedule", "strategy" and "workspace-limit". Since
 *                     interface 20
 *  "offset-a"         "0", or how many elements, up to 15, the tensor's least
 *  "offset-b"         address lies behind one that is aligned (see
 *  "offset-c"         tcContractionLaunch), as a view's may; of a GPU only.
 *                     Since interface 6
 *  "prologue-a"       "", or an expression in x, which each element x of A
 *                     becomes before it is multiplied, as "relu(x)"
 *  "prologue-b"       the same of B
 *  "epilogue"         "", or an expression in x and c: what an element x of the
 *                     result becomes before it is stored where C held c, as
 *                     "leaky_relu(x, 0.01)". A name with indices of C in
 *                     brackets, as in "relu(x + bias[j])", is an auxiliary
 *                     tensor (tcOptionsSetAuxiliary). These three are of floats
 *                     (docs/tc-run.md has the functions)
 *  "name"             "contract", and "program" of a program: a C identifier,
 *                     from which the names in object code, headers and PTX are
 *                     made. Of a program since interface 13
 *  "cache"            "", which is the folder $TC_CACHE, else tc in the user's
 *                     caches; another folder for the cache of code for the
 *                     CPU; or "off"
 *  "cache-size"       "256": MiB that this cache may take
 */
TC_EXPORT TcError *tcOptionsSet(TcOptions *options, const char *key,
                                const char *value);

/** Says what options there are, for programs that offer them to their users.
 *  Since interface 24.
 *
 *  @param buffer  becomes a list in JSON and a zero byte; cut off at `size`
 *                 bytes. NULL if `size` is zero. Of each option it has the
 *                 "key" and perhaps a "former_key", which is taken, too; the
 *                 "kind" of its values, "flag" ("true" or "false"), "integer",
 *                 "choice" or "text"; the "default"; of integers the "least"
 *                 and the "most", beside which the default is taken, and of
 *                 choices all "values"; the "machine" whose code it is about,
 *                 "cpu", "gpu" or "any"; whether it "changes_code"; and "help"
 *  @param length  how many bytes that takes without the zero byte */
TC_EXPORT TcError *tcOptionsDescribe(char *buffer, size_t size, size_t *length);

/** Writes the one of a semiring, which changes nothing that it is multiplied
 *  by, as a number of the type that sums of elements of `type` have
 *  (tcContractionGetScalarType). Since interface 2.
 *
 *  @param semiring  as option "semiring" names it
 *  @param one       is aligned for that type */
TC_EXPORT TcError *tcSemiringGetOne(const char *semiring, TcElementType type,
                                    void *one);

/*--- Tensors ----------------------------------------------------------------*/

/** Layout of a tensor. The arrays are read during a call only. */
typedef struct TcTensor {
  TcElementType type;
  /** Number of dimensions, 0 to 64. */
  int32_t rank;
  /** The extent of each dimension, at least zero. */
  const int64_t *extents;
  /** The distance between neighbours along each dimension, in elements; NULL if
   *  the tensor is contiguous and the last dimension has stride one. Strides of
   *  A and B may be anything: zero repeats elements. Different elements of C
   *  must not lie at one address. */
  const int64_t *strides;
} TcTensor;

/*--- Subscripts -------------------------------------------------------------*/

/** Expands the ellipses of an einsum specification with any number of operands,
 *  finds the output that it leaves out, and checks both. Since interface 3.
 *
 *  @param ranks    the number of dimensions of each operand
 *  @param buffer   becomes the specification with a bracketed list of names for
 *                  each operand and for the output, as in "[e0,i],[i]->[e0]",
 *                  and a zero byte; cut off at `size` bytes. NULL if `size` is
 *                  zero.
 *  @param length   how many bytes that takes without the zero byte */
TC_EXPORT TcError *tcSubscriptsExpand(const char *spec, const int32_t *ranks,
                                      int32_t operands, char *buffer,
                                      size_t size, size_t *length);

/** Describes an auxiliary tensor of option "epilogue", which has a dimension
 *  for each index that stands there behind the name. Without a description it
 *  has C's type and is contiguous. A description that no epilogue needs is an
 *  error when a contraction is compiled. Since interface 10.
 *
 *  @param tensor  of any floating-point type, and with any strides; NULL takes
 *                 the description back */
TC_EXPORT TcError *tcOptionsSetAuxiliary(TcOptions *options, const char *name,
                                         const TcTensor *tensor);

/*--- Contractions -----------------------------------------------------------*/

/** A compiled contraction. It does not change: any number of threads may use it
 *  at once. */
typedef struct TcContraction TcContraction;

/** Compiles a contraction.
 *
 *  @param spec     an einsum specification as NumPy reads it, with one or two
 *                  operands: "abc,cd->abd", "...ij,...jk->...ik", "ii->i" or
 *                  "[row,k],[k,col]->[row,col]". Without "->", C has what "..."
 *                  stands for, and then what is in one operand only, once, in
 *                  alphabetical order. A label twice in an operand is its
 *                  diagonal; one in one operand only is summed there. Along
 *                  dimensions of extent one, an operand is broadcast.
 *  @param tensors  A, B and C. A and B are multiplied in the type that holds
 *                  the elements of both (tcElementTypeGetCommon); C has that
 *                  type or the one that sums have (tcContractionGetScalarType).
 *                  With one operand, tensors[1] is not read: A is multiplied by
 *                  the semiring's one.
 *  @param options  NULL for the defaults
 *  @param contraction  the result, which the caller owns
 *
 *  Code for the CPU is looked for in the cache before it is made, and kept
 * there when it was. What is wrong with the cache is no error: see
 *  TC_ARTIFACT_WARNINGS. */
TC_EXPORT TcError *tcContractionCompile(const char *spec,
                                        const TcTensor tensors[3],
                                        const TcOptions *options,
                                        TcContraction **contraction);

/** Compiles the contraction that a text in one of the notations of files
 *  describes (docs/notations.md), with its extents, types and factors. Tensors
 *  are contiguous, and lie as the notation says: the last index of einsum has
 *  stride one, and the first one of the others. Since interface 6.
 *
 *  @param text      has one contraction
 *  @param notation  "einsum", "tccg" or "cogent"
 *  @param options   NULL for the defaults. Options "alpha", "beta",
 *                   "precision" and those of semirings, conjugates and fused
 *                   code take precedence over what the text says, if they are
 *                   not the defaults
 *
 *  Errors have the place in the text, as in "text:2:5: error: ...". */
TC_EXPORT TcError *tcContractionCompileText(const char *text,
                                            const char *notation,
                                            const TcOptions *options,
                                            TcContraction **contraction);

/** Ends the life of a contraction and of all that it gave out; NULL is allowed.
 *  No thread may use it any more. */
TC_EXPORT void tcContractionDestroy(TcContraction *contraction);

/** Stops threads that make code in the background, without waiting for the
 * code, and lets no more be made so in this process; what is there goes on to
 * run. The cache then has the code, or nothing of it. A process does so by
 * itself when it ends, and only one that loads this library from another thread
 * than its main one has to ask for it, before the end. Since interface 18. */
TC_EXPORT void tcSpecializationEnd(void);

/** The type of alpha, beta and sums: f32 where A and B are narrower floats, i32
 *  where they are i8, else the type in which they are multiplied. 0 of NULL. */
TC_EXPORT TcElementType
tcContractionGetScalarType(const TcContraction *contraction);

/** Computes C on this machine's CPU, and returns when it is done.
 *
 *  @param a, b, c  the elements whose coordinates are all zero, also where
 *                  strides are negative. They are aligned to an element's size
 *                  at least. C overlaps neither A nor B. A pointer to a tensor
 *                  without elements may be NULL.
 *                  With one operand, b is NULL. Object code takes a pointer to
 *                  a scalar one in its place.
 *  @param alpha, beta  numbers of the scalar type; NULL if and only if the
 *                  option of that name was not "argument"
 *
 *  Fails, before anything is written, if the contraction is for a GPU, if a
 *  pointer that is needed is NULL or is misaligned. */
TC_EXPORT TcError *tcContractionRun(const TcContraction *contraction,
                                    const void *a, const void *b, void *c,
                                    const void *alpha, const void *beta);

/** The same on tensors of any extents and strides, of a contraction that is
 *  compiled with option "dynamic-shapes" for the CPU. Since interface 20.
 *
 *  @param shapes  those of A, B and C, of the ranks that the contraction was
 *                 compiled for; that of B is not read with one operand. NULL
 *                 in the place of strides is for a contiguous tensor. Along
 *                 dimensions of extent one, A and B are broadcast. Different
 *                 elements of C must not lie at one address
 *
 *  Fails, before anything is written, on extents that do not fit together as
 *  well. */
TC_EXPORT TcError *tcContractionRunShaped(const TcContraction *contraction,
                                          const TcTensorShape shapes[3],
                                          const void *a, const void *b, void *c,
                                          const void *alpha, const void *beta);

/** Number of auxiliary tensors that the epilogue reads; 0 of NULL. Since
 * interface 10. */
TC_EXPORT int32_t
tcContractionGetAuxiliaryCount(const TcContraction *contraction);

/** The name of an auxiliary tensor, or NULL if there are not so many. They are
 * counted from zero in the order in which they first occur in the epilogue;
 * code and packages call them "side0" or "s0" and so on. Lives as long as the
 *  contraction. Since interface 10. */
TC_EXPORT const char *
tcContractionGetAuxiliaryName(const TcContraction *contraction, int32_t number);

/** An auxiliary tensor of a run. */
typedef struct TcAuxiliary {
  /** Its name in the epilogue. */
  const char *name;
  /** The element whose coordinates are all zero. Must not overlap C. */
  const void *data;
} TcAuxiliary;

/** tcContractionRun for a contraction that reads auxiliary tensors.
 *
 *  @param auxiliaries  each of them once, in any order
 *  @param count        how many there are
 *
 *  Fails, before anything is written, on an auxiliary tensor that is missing,
 *  unknown or given twice as well. Since interface 10. */
TC_EXPORT TcError *
tcContractionRunWithAuxiliaries(const TcContraction *contraction, const void *a,
                                const void *b, void *c, const void *alpha,
                                const void *beta,
                                const TcAuxiliary *auxiliaries, int32_t count);

/** Queues computing C on the device on which the tensors lie, of a contraction
 *  that is compiled for a GPU, and returns before it is done. Since
 * interface 6.
 *
 *  @param a, b, c  as those of tcContractionRun, but in a device's memory,
 * which was allocated in its primary context (as the CUDA runtime does) or is
 * managed. All lie on one device. The least address of a tensor is a multiple
 * of the "alignment" that the package has for it.
 *  @param alpha, beta  on the host, and read during the call
 *  @param auxiliaries  as those of tcContractionRunWithAuxiliaries, on the
 *                  device
 *  @param stream   a CUstream or cudaStream_t of that device: work is done in
 *                  its order. NULL is the default stream (of legacy kind); the
 *                  driver's CU_STREAM_LEGACY and CU_STREAM_PER_THREAD may be
 *                  given, too.
 *
 *  The first launch on a device loads the code there, which the driver compiles
 *  from PTX; the context that is current stays so. Any number of threads may
 *  launch, on any streams: kernels that need a workspace have one for each
 *  stream. docs/c-interface.md has more.
 *
 *  Fails, before anything is queued, if an argument breaks these rules, if the
 *  code is not for the device, and with TC_ERROR_DRIVER if there is no CUDA
 *  driver or one of its calls fails. What goes wrong while a kernel runs is
 *  reported by the driver to those who wait for it. */
TC_EXPORT TcError *tcContractionLaunch(const TcContraction *contraction,
                                       const void *a, const void *b, void *c,
                                       const void *alpha, const void *beta,
                                       const TcAuxiliary *auxiliaries,
                                       int32_t count, void *stream);

/*--- Former names -----------------------------------------------------------*/

/** Name of auxiliary tensors in interfaces 4 to 9. These functions do what
 * those of the new names do, and stay as long as the library's major version.
 * */
typedef TcAuxiliary TcSide;
TC_EXPORT TcError *tcOptionsSetSide(TcOptions *options, const char *name,
                                    const TcTensor *tensor);
TC_EXPORT int32_t tcContractionGetSideCount(const TcContraction *contraction);
TC_EXPORT const char *tcContractionGetSideName(const TcContraction *contraction,
                                               int32_t number);
TC_EXPORT TcError *
tcContractionRunWithSides(const TcContraction *contraction, const void *a,
                          const void *b, void *c, const void *alpha,
                          const void *beta, const TcSide *sides, int32_t count);

/** Parts of a compiled contraction. Later versions may add some. */
typedef int32_t TcArtifact;
enum {
  /** The contraction as a function in MLIR's tc dialect. */
  TC_ARTIFACT_MLIR = 1,
  /** The schedule, in the compiler's syntax; empty if an extent is zero. */
  TC_ARTIFACT_SCHEDULE = 2,
  /** Reasons for the choice of the schedule, for people; empty if an extent is
   * zero. */
  TC_ARTIFACT_EXPLANATION = 3,
  /** Faults of the cache: lines, or nothing. */
  TC_ARTIFACT_WARNINGS = 4,
  /** Of a CPU: "hit", "miss", "off" or "unusable", as it was with the cache. */
  TC_ARTIFACT_CACHE = 5,
  /** Of a CPU: the bytes of an object file, and a C header that declares its
   *  function, which takes extents and strides with option "dynamic-shapes"
   *  and needs libtc_cpu_runtime then (docs/cpu-lowering.md), as it may with
   *  option "library-calls" set to "always". Both are empty if
   *  an extent is zero, without that option. */
  TC_ARTIFACT_OBJECT = 6,
  TC_ARTIFACT_HEADER = 7,
  /** Of a GPU: PTX, and the JSON that describes its launch (docs/package.md),
   *  which calls the PTX NAME.ptx. Both are empty if an extent is zero. */
  TC_ARTIFACT_PTX = 8,
  TC_ARTIFACT_PACKAGE = 9,
  /** Of a GPU: the explanation as a page of HTML with pictures, which refers to
   *  nothing outside itself; empty if an extent is zero. Since interface 6. */
  TC_ARTIFACT_EXPLANATION_PAGE = 10,
  /** Of a GPU: machine code that ptxas makes of the PTX, the one that TC_PTXAS
   *  names, on PATH, of NVIDIA's Python package beside this one, or in
   *  /usr/local/cuda; without one, an error that says where was looked. Empty
   * if an extent is zero. Since interface 6. */
  TC_ARTIFACT_CUBIN = 11
};

/** Gives out one of these, which lives as long as the contraction. `*data` ends
 *  with a zero byte that `*size` (bytes) does not count. `size` may be NULL.
 * The first call for a GPU's explanation takes as long as its search. */
TC_EXPORT TcError *tcContractionGet(const TcContraction *contraction,
                                    TcArtifact artifact, const char **data,
                                    size_t *size);

#ifdef __cplusplus
}
#endif

#endif /* TC_C_CONTRACTION_H */
