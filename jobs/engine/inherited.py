"""What an engine takes over of the environment of the process that starts it: a list, because that one holds
secrets of others.

The web side's environment has the URLs of the database and of Valkey with their passwords. An engine needs
none of them, and runs what users wrote.
"""

from collections.abc import Mapping
from typing import Final

# Further names, separated by commas, such as those of an object store's credentials.
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
        "WEIR_EMBEDDED",  # the marks by which engines are found again
        "WEIR_ENGINE",
        "YARN_CONF_DIR",
    }
)
_PREFIXES: Final = ("LC_", "SPARK_", "PYSPARK_")


def inherited(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that an engine gets.

    Args:
        environment: of the process that starts it.
    """
    extra = {name.strip() for name in environment.get(EXTRA, "").split(",")}
    return {
        name: value
        for name, value in environment.items()
        if name in _NAMES or name in extra or name.startswith(_PREFIXES)
    }
