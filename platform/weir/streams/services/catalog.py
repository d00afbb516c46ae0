"""The contracts of a workspace's streams, as the check of a document needs them."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from jobs.base.budget import spend
from jobs.formats.contract import StreamContract
from weir.streams.models import Stream
from weir.workspaces.errors import ServiceError
from weir.workspaces.models import Workspace


class Catalog(Mapping[str, StreamContract]):
    """Contracts by the stream's name, each read when it is first asked for: a workspace may have thousands
    of large ones, and a document names a few.

    The names are those of all streams. One whose contract can't be read has none: `get` gives None, and
    `unreadable` says why from then on.

    Args:
        workspace: whose streams.

    Attributes:
        unreadable: why contracts that were asked for can't be read, by name.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._contracts: dict[str, StreamContract] = {}
        self.unreadable: dict[str, str] = {}

    @cached_property
    def _names(self) -> dict[str, None]:
        return dict.fromkeys(Stream.objects.of(self._workspace).values_list("name", flat=True))

    def read(self, names: Iterable[str]) -> None:
        """Read the contracts of these streams with one query, as far as they are there.

        Args:
            names: of streams.

        Raises:
            OverBudget: the processor time of the budget around, if there is one, is used up.
        """
        wanted = [name for name in names if name not in self._contracts and name not in self.unreadable]
        for stream in Stream.objects.of(self._workspace).filter(name__in=wanted) if wanted else ():
            spend(0)  # before a large contract, not after it
            try:
                self._contracts[stream.name] = stream.stream_contract
            except ServiceError as error:
                self.unreadable[stream.name] = error.detail

    def __getitem__(self, name: str) -> StreamContract:
        if name in self._names:
            spend(0)
            self.read([name])
        return self._contracts[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
