# Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For `python -m tc.tune`, which is `tc-tune`. What programs call is the function
`tc.tune`."""

import sys

from ._tuning.command import main

if __name__ == "__main__":
    sys.exit(main())
