"""What the platform asks engines to play, and what they answer."""

from typing import Annotated, Final, Literal

from pydantic import Field, TypeAdapter

from jobs.kafka_messages.message import Message
from jobs.play import PlayResult, PlayScript

MAX_ASK_BYTES: Final = 900_000  # Kafka's own limit of a record is a megabyte
MAX_ANSWER_BYTES: Final = 900_000


class PlayAsk(Message):
    """The platform asks an engine to play a script, in `ASKS_TOPIC` under the ask's id.

    Attributes:
        owner: whose ask this is: an engine plays the newest ask of an owner only, and breaks off an older
            one.
        expires_us: nobody waits any more then, so it is not begun.
    """

    type: Literal["play"] = "play"
    ask_id: str
    engine_id: str
    owner: str
    expires_us: int
    script: PlayScript


class PlayFolderAsk(Message):
    """The platform asks an engine of its own host to play the scripts of a folder
    (`jobs.job_tests.play_folder`), in `ASKS_TOPIC`. Results are written there; nothing is answered.

    Attributes:
        owner: whose ask this is, as of a `PlayAsk`.
        expires_us: nobody waits any more then.
        run_id: of the run of tests, which names the folder.
    """

    type: Literal["play_folder"] = "play_folder"
    engine_id: str
    owner: str
    expires_us: int
    run_id: Annotated[str, Field(pattern="^[a-z0-9]{1,20}$")]


class CancelAsk(Message):
    """Nobody waits for the asks of this owner any more."""

    type: Literal["cancel"] = "cancel"
    engine_id: str
    owner: str


Ask = Annotated[PlayAsk | PlayFolderAsk | CancelAsk, Field(discriminator="type")]
ASK: Final[TypeAdapter[Ask]] = TypeAdapter(Ask)


class Answer(Message):
    """An engine's answer to an ask, in `ANSWERS_TOPIC` under the ask's id.

    Attributes:
        runs: that the engine executed meanwhile.
        shortened: rows were left out so that the answer has at most `MAX_ANSWER_BYTES`.
    """

    ask_id: str
    engine_id: str
    at_us: int
    runs: int
    result: PlayResult
    shortened: bool = False
