"""Files that are either as they were or written as a whole."""

import contextlib
import os


@contextlib.contextmanager
def writing(path, mode="w"):
    """A file beside that path, which takes its place, on the disk, if nothing
    fails until then. A path that is no regular file, such as a terminal, is
    written to."""
    path = os.path.realpath(path)
    encoding = None if "b" in mode else "utf-8"
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, mode, encoding=encoding) as file:
            yield file
        return
    draft = f"{path}.{os.getpid()}.part"
    try:
        with open(draft, mode, encoding=encoding) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(draft)
        raise
