# SPDX-License-Identifier: Apache-2.0
"""`python -m takt`."""

import os
import sys

from takt.cli import main

os.environ.pop("PYTHONSAFEPATH", None)  # the launcher's, not for programs that commands start
sys.exit(main())
