"""The example of an operator with state in `jvm/README.md` compiles against our classes and Spark's."""

import re
import subprocess
from pathlib import Path

from weir.embedded.java_classes import TARGET, class_path
from weir.embedded.layout import REPOSITORY

IMPORTS = """
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.streaming.ValueState;
"""


def test_the_example_compiles(tmp_path: Path) -> None:
    page = (REPOSITORY / "jvm" / "README.md").read_text()
    (example,) = re.findall(r"```java\n(.*?)```", page, re.DOTALL)
    package, _, rest = example.partition("\n")
    source = tmp_path / "Changed.java"
    source.write_text(f"{package}\n{IMPORTS}{rest}")
    path = f"{TARGET}:{class_path()}"
    command = ["javac", "--release", "17", "-cp", path, "-d", str(tmp_path), str(source)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
