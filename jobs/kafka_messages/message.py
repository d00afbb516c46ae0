"""What all messages have in common."""

from pydantic import BaseModel, ConfigDict


class Message(BaseModel):
    """Base of all: unknown fields are ignored, values do not change."""

    model_config = ConfigDict(extra="ignore", frozen=True)
