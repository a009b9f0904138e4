"""Binary Game: ``python3 a1.py``."""

import os.path
import sys

if sys.version_info < (3, 8):
    sys.exit("a1.py needs Python 3.8 or later; this is " + sys.version.split()[0])

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../src"))
try:
    import gridhouse  # noqa: F401
except ImportError:
    sys.exit(
        "a1.py needs the package gridhouse, which is not installed here;"
        " 'gridhouse export binary FOLDER' writes a copy that does not"
    )

from gridhouse.core.console import run
from gridhouse.games.binary.program import main

if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))
