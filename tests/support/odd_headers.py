"""A record with a header whose name is not UTF-8, as programs in C, Go and Rust can write it; Python's client
can't. By librdkafka, which comes with that client.
"""

import ctypes
from pathlib import Path

import confluent_kafka

_TOPIC, _VALUE, _FLAGS, _HEADER, _PARTITION = 1, 4, 7, 9, 3  # of rd_kafka_vtype_t
_COPY = 2
_PRODUCER = 0


def produce_with_header(bootstrap: str, topic: str, value: bytes, name: bytes, content: bytes) -> None:
    """Write one record to partition 0.

    Args:
        bootstrap: of the cluster.
        topic: that is there.
        value: of the record.
        name: of its only header; without a zero byte.
        content: of that header.
    """
    (path,) = Path(confluent_kafka.__file__).parent.parent.glob("confluent_kafka.libs/librdkafka-*")
    library = ctypes.CDLL(str(path))
    for made in ("rd_kafka_conf_new", "rd_kafka_new"):
        getattr(library, made).restype = ctypes.c_void_p
    error = ctypes.create_string_buffer(512)
    settings = ctypes.c_void_p(library.rd_kafka_conf_new())
    for key, text in ((b"bootstrap.servers", bootstrap.encode()),):
        assert library.rd_kafka_conf_set(settings, key, text, error, len(error)) == 0, error.value
    handle = ctypes.c_void_p(library.rd_kafka_new(_PRODUCER, settings, error, len(error)))
    assert handle, error.value
    code = library.rd_kafka_producev(
        handle,
        *(_TOPIC, ctypes.c_char_p(topic.encode())),
        *(_PARTITION, ctypes.c_int32(0)),
        *(_VALUE, ctypes.c_char_p(value), ctypes.c_size_t(len(value))),
        *(_FLAGS, _COPY),
        *(_HEADER, ctypes.c_char_p(name), ctypes.c_char_p(content), ctypes.c_ssize_t(len(content))),
        0,
    )
    assert code == 0
    assert library.rd_kafka_flush(handle, 60_000) == 0
    library.rd_kafka_destroy(handle)
