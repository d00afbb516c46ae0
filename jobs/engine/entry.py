"""The engine's process, which spark-submit starts.

The JVM opens Spark's session while Python loads the engine; each takes more than a second.
"""

from concurrent.futures import ThreadPoolExecutor

from jobs.engine.session import open_session


def main() -> None:
    """Run the engine that the settings file describes; its path is the only argument."""
    opener = ThreadPoolExecutor(1, "session")
    session = opener.submit(open_session)
    opener.shutdown(wait=False)
    from jobs.engine.main import main as run_engine  # noqa: PLC0415  # this is what takes a second

    run_engine(session.result)


if __name__ == "__main__":
    main()
