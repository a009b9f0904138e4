"""Tactego: ``python3 tactego.py``."""

import os.path
import sys

if sys.version_info < (3, 8):
    sys.exit("tactego.py needs Python 3.8 or later; this is " + sys.version.split()[0])

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../src"))
try:
    import gridhouse  # noqa: F401
except ImportError:
    sys.exit(
        "tactego.py needs the package gridhouse, which is not installed here;"
        " 'gridhouse export tactego FOLDER' writes a copy that does not"
    )

from gridhouse.core.console import run
from gridhouse.games.tactego.program import main, tactego  # noqa: F401

if __name__ == "__main__":
    sys.exit(run(main, sys.argv[1:]))
