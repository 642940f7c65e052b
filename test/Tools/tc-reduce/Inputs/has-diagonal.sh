#!/bin/sh
# Exit status 1 says that the file still has the diagonal.
if grep -q 'tc.contract \[i, i\]' "$1"; then exit 1; else exit 0; fi
