"""`make clean`: removes all data of the embedded system, after confirmation."""

import shutil
import sys

from weir.embedded.layout import read_layout
from weir.embedded.orphan_processes import find_processes
from weir.embedded.sole_run import sole_run


def main() -> None:
    """The command line."""
    layout = read_layout()
    if not layout.data.exists():
        print(f"{layout.data} doesn't exist; nothing to remove.")
        return
    if not (layout.data / "secrets").exists():
        sys.exit(f"{layout.data} has no data of Weir in it; nothing removed.")
    if find_processes(layout.data):
        sys.exit("Weir is running. Stop it first: make stop")
    with sole_run(layout):
        try:
            answer = input(
                f"Remove {layout.data} with all topics, jobs, results and accounts in it? Type yes: "
            )
        except EOFError:
            answer = ""
        if answer.strip().lower() != "yes":
            sys.exit("Nothing removed.")
        shutil.rmtree(layout.data)
    print("Removed.")


if __name__ == "__main__":
    main()
