"""Two cases that write a file of one name at once, and read it again."""

import pathlib
import sys
import threading

sys.path.insert(0, sys.argv.pop(1))

# pylint: disable-next=import-error,wrong-import-position
import harness  # noqa: E402

both_wrote = threading.Barrier(2, timeout=60)


def case(name):
    def run(context):
        path = pathlib.Path(context.write("file", name))
        both_wrote.wait()
        found = path.read_text(encoding="utf-8")
        if found != name:
            raise harness.Failure(f"the file is of {found}")

    return harness.Case(name, run)


sys.exit(harness.main([case("one"), case("other")],
                      harness.parser(__doc__).parse_args()))
