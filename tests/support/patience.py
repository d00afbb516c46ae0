"""How long tests wait for what has to come, and may take."""

import os
from typing import Final

PATIENCE_VARIABLE: Final = "WEIR_TEST_PATIENCE"
PATIENCE: Final = float(os.environ.get(PATIENCE_VARIABLE, "1"))
"""Times as long as a test says; more where several runs share the machine. A promised time is no wait: tests
measure it.
"""
