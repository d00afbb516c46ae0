"""How much memory an engine takes of its host. Without Django: the start of the embedded system asks."""

from typing import Final

OUTSIDE_HEAP_MB: Final = 700  # state stores, classes, the driver and its Python workers
MIB: Final = 1024 * 1024
GIB: Final = 1024 * MIB


def engine_bytes(heap_mb: int) -> int:
    """What an engine takes in full, in bytes.

    Args:
        heap_mb: of its JVM (`WEIR_ENGINE_MEMORY_MB`), MiB.
    """
    return (heap_mb + OUTSIDE_HEAP_MB) * MIB
