"""The environment variables that an engine inherits: an allowlist, because the parent process has secrets.

The platform's environment contains the URLs of the database and of Valkey with their passwords. An engine
doesn't need them, and runs what users wrote.
"""

from collections.abc import Mapping
from typing import Final

# Variable with further names, separated by commas, such as those of an object store's credentials.
EXTRA: Final = "WEIR_ENGINE_ENVIRONMENT"
_NAMES: Final = frozenset(
    {
        "HADOOP_CONF_DIR",
        "HOME",
        "JAVA_HOME",
        "KUBECONFIG",
        "KUBERNETES_SERVICE_HOST",
        "KUBERNETES_SERVICE_PORT",
        "LANG",
        "LANGUAGE",
        "LD_LIBRARY_PATH",
        "LOGNAME",
        "PATH",
        "PYTHONUNBUFFERED",
        "TMPDIR",
        "TZ",
        "USER",
        "WEIR_LOG_FORMAT",
        "WEIR_EMBEDDED",  # this and WEIR_ENGINE label processes, so that engines can be found again
        "WEIR_ENGINE",
        "YARN_CONF_DIR",
    }
)
_PREFIXES: Final = ("LC_", "SPARK_", "PYSPARK_")


def inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that an engine inherits.

    Args:
        environment: of the process that starts it.
    """
    extra = {name.strip() for name in environment.get(EXTRA, "").split(",")}
    return {
        name: value
        for name, value in environment.items()
        if name in _NAMES or name in extra or name.startswith(_PREFIXES)
    }
