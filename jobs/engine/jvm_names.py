"""Packages, classes and methods of the JVM, looked up once.

Py4J keeps none: it asks the JVM for each part of a name each time, and where PySpark names a class without
its package, the JVM tries it in each package that the gateway imports, for which it searches every jar.
"""

from typing import Any, Final

from py4j.java_gateway import JavaClass, JavaMember, JavaPackage

# By their own names, as PySpark and the engine write them.
_PACKAGES: Final = ("com", "java", "org", "py4j", "weir")
_CLASSES: Final = (
    "PythonUtils",
    "PythonSQLUtils",
    "functions",
    "org.apache.spark.sql.functions",
    "org.apache.spark.sql.types.Metadata",
    "org.apache.spark.sql.classic.SparkSession",
    "org.apache.spark.sql.classic.SparkSession$",
)


def keep_names(jvm: Any) -> None:
    """Keep what is found under these names, and below them, from now on.

    Args:
        jvm: a gateway's view of the JVM.
    """
    for name in (*_PACKAGES, *_CLASSES):
        vars(jvm)[name] = _lasting(getattr(jvm, name))


class _Package(JavaPackage):  # type: ignore[misc]  # Py4J has no types
    def __getattr__(self, name: str) -> Any:
        return _kept(self, name, super().__getattr__(name))


class _Class(JavaClass):  # type: ignore[misc]  # Py4J has no types
    def __getattr__(self, name: str) -> Any:
        return _kept(self, name, super().__getattr__(name))


def _kept(owner: Any, name: str, found: Any) -> Any:
    lasting = _lasting(found)
    if lasting is not None:
        vars(owner)[name] = lasting
        return lasting
    return found


def _lasting(found: Any) -> Any:
    """What may be kept of something found; None: nothing, because the value of a field may change."""
    if isinstance(found, JavaPackage):
        return _Package(found._fqn, found._gateway_client, found._jvm_id)
    if isinstance(found, JavaClass):
        return _Class(found._fqn, found._gateway_client)
    return found if isinstance(found, JavaMember) else None
