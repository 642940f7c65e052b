"""Writes a file with an error in the middle, and then without one."""

import os
import sys

sys.path.insert(0, sys.argv[1])

import whole_file  # pylint: disable=wrong-import-position

os.chdir(sys.argv[2])


def show():
    with open("result", encoding="utf-8") as file:
        print(file.read(), sorted(os.listdir(".")))


with whole_file.writing("result") as file:
    file.write("first")
show()
try:
    with whole_file.writing("result") as file:
        file.write("sec")
        raise KeyboardInterrupt
except KeyboardInterrupt:
    show()
os.symlink("result", "link")
with whole_file.writing("link", "wb") as file:
    file.write(b"second")
show()
with whole_file.writing("/dev/null") as file:
    file.write("nothing")
