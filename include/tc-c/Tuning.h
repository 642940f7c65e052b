/*===- tc-c/Tuning.h - Schedules that are measured ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* What a search for schedules that measures them needs: candidates, and a    *|
|* database of what they have taken, which option "tuned" consults            *|
|* (docs/tuning.md).                                                          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_TUNING_H
#define TC_C_TUNING_H

#include "tc-c/Contraction.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Lists schedules of a contraction, the one first that is chosen without a
 *  database, then others by ascending predicted time. Since interface 11.
 *
 *  @param spec, tensors  as tcContractionCompile takes them
 *  @param options  NULL for the defaults; "schedule", "tuned", "refine" and
 *                  "strategy" do not count
 *  @param most     how many at most, from 1 on
 *  @param buffer   becomes a JSON object and a zero byte; cut off at `size`
 *                  bytes. NULL if `size` is zero. "contraction", "machine" and
 *                  "syntax" are the key in the database. Each of "candidates"
 *                  has "schedule", a text that option "schedule" takes,
 *                  "stored", the text for the database, "seconds", which are
 *                  predicted, and "features", numbers by name of which those
 *                  that are absent are zero
 *  @param length   how many bytes that takes without the zero byte */
TC_EXPORT TcError *tcCandidatesFind(const char *spec, const TcTensor tensors[3],
                                    const TcOptions *options, int64_t most,
                                    char *buffer, size_t size, size_t *length);

/** Adds evaluations to a database, which is made if there is none: all that it
 *  lacks, or none if one is wrong. When this returns they are on the disk. Any
 *  number of processes may do so at once. A database that is damaged, or of a
 *  newer format, is an error, and left as it is. Since interface 11.
 *
 *  @param path   the file of the database
 *  @param lines  JSON objects, one a line, as tcTuningExport writes them
 *  @param added  becomes how many were added; may be NULL */
TC_EXPORT TcError *tcTuningMerge(const char *path, const char *lines,
                                 int64_t *added);

/** Writes all evaluations of a database in the order in which they came, or
 *  only the best one of each key: the least "seconds" of those that were
 *  measured, else of those that were simulated. Since interface 11.
 *
 *  @param path      the file of the database
 *  @param bestOnly  other than 0 for the best ones
 *  @param buffer    becomes JSON objects, one a line, and a zero byte; cut off
 *                   at `size` bytes. NULL if `size` is zero
 *  @param length    how many bytes that takes without the zero byte */
TC_EXPORT TcError *tcTuningExport(const char *path, int bestOnly, char *buffer,
                                  size_t size, size_t *length);

#ifdef __cplusplus
}
#endif

#endif /* TC_C_TUNING_H */
