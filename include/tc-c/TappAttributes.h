/*===- tc-c/TappAttributes.h - Attributes of TAPP's handles -------*- C -*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions.                                                                *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* Keys of TAPP_attr_set, TAPP_attr_get and TAPP_attr_clear, which TAPP leaves
*|
|* to each library. Attributes belong to a handle, and hold for the products  *|
|* that are created with it afterwards. Values are text, `char *`: those that *|
|* the option named here takes in tcOptionsSet (tc-c/Contraction.h).          *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_TAPPATTRIBUTES_H
#define TC_C_TAPPATTRIBUTES_H

/** Numbers never change their meaning, and later versions may add some. */
enum {
  TC_TAPP_THREADS = 0x746301,              /**< "threads" */
  TC_TAPP_STRATEGY = 0x746302,             /**< "strategy" */
  TC_TAPP_WORKSPACE_LIMIT = 0x746303,      /**< "workspace-limit" */
  TC_TAPP_SCHEDULE = 0x746304,             /**< "schedule" */
  TC_TAPP_PRECISION = 0x746305,            /**< "precision" */
  TC_TAPP_ALLOW_THREE_PRODUCTS = 0x746306, /**< "allow-three-products" */
  TC_TAPP_CACHE = 0x746307,                /**< "cache" */
  TC_TAPP_CACHE_SIZE = 0x746308,           /**< "cache-size" */
  TC_TAPP_SPECIALIZE = 0x746309 /**< "specialize", by itself "auto" */
};

#endif /* TC_C_TAPPATTRIBUTES_H */
