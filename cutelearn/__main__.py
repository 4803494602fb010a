"""`python -m cutelearn`: the command `cutelearn`, also where its folder is not on the PATH."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
