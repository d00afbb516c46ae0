"""A broker that says that its answer is very long does not end the JVM of an engine."""

import socket
import struct
import subprocess
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest

from weir.embedded.java_classes import TARGET, class_path

CLIENTS = """
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.TimeoutException;

public final class Clients {
  public static void main(String[] arguments) throws Exception {
    Properties options = new Properties();
    options.put("bootstrap.servers", arguments[0]);
    options.put("request.timeout.ms", "1000");
    options.put("default.api.timeout.ms", "2000");
    String text = "org.apache.kafka.common.serialization.StringDeserializer";
    options.put("key.deserializer", text);
    options.put("value.deserializer", text);
    try (Admin admin = Admin.create(options)) {
      admin.describeCluster().clusterId().get();
    } catch (ExecutionException error) {
      System.out.println("admin " + error.getCause().getClass().getSimpleName());
    }
    try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(options)) {
      consumer.partitionsFor("t");
    } catch (TimeoutException error) {
      System.out.println("consumer " + error.getClass().getSimpleName());
    }
  }
}
"""


def _boast(listener: socket.socket, length: int, closed: list[int]) -> None:
    """Answer each request by its length alone, and note when the client hangs up."""

    def answer(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            connection.recv(4_096)
            connection.sendall(struct.pack(">i", length))
            connection.recv(4_096)
        closed.append(length)

    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=answer, args=(connection,), daemon=True).start()


@pytest.mark.parametrize("length", [2**31 - 9, 100_000_001])
def test_an_answer_of_any_length_closes_the_connection_only(tmp_path: Path, length: int) -> None:
    source, closed = tmp_path / "Clients.java", list[int]()
    source.write_text(CLIENTS)
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        threading.Thread(target=_boast, args=(listener, length, closed), daemon=True).start()
        path = f"{tmp_path}:{TARGET}:{class_path()}"
        subprocess.run(
            ["javac", "--release", "17", "-cp", path, "-d", str(tmp_path), str(source)], check=True
        )
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        command = ["java", "-Xmx64m", "-XX:+ExitOnOutOfMemoryError", "-cp", path, "Clients", address]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout.split("\n")[:2]) == (
        0,
        ["admin TimeoutException", "consumer TimeoutException"],
    ), done.stdout + done.stderr[-3_000:]
    assert len(closed) > 2, "it connects again, as after any lost connection"
