"""The registry's routes (Confluent's): compatibility levels, modes, and compatibility tests."""

from typing import Any, ClassVar, Final

from rest_framework.request import Request
from rest_framework.response import Response

from weir.schemas.api.base_view import RegistryView
from weir.schemas.api.serializers import schema_draft
from weir.schemas.errors import RegistryError, no_subject
from weir.schemas.models import Subject
from weir.schemas.services.drafts import parse_draft
from weir.schemas.services.impact_hooks import impacts
from weir.schemas.services.policy import set_level, set_mode
from weir.schemas.services.queries import get_settings
from weir.schemas.services.registration import conflicts_with
from weir.workspaces.roles import Right


def _given(request: Request, word: str) -> str:
    found: Any = request.data.get(word, "") if isinstance(request.data, dict) else ""
    return found.upper() if isinstance(found, str) else "?"


_LEVEL_WORDS: Final = ("compatibility", "compatibilityLevel")


def _given_level(request: Request) -> str:
    """The level of a request, under either of the words that clients have for it.

    Raises:
        RegistryError: 422, it asks for something that is not kept here; that is not taken in silence.
    """
    given = request.data if isinstance(request.data, dict) else {}
    foreign = sorted(
        name
        for name, value in given.items()
        if name not in _LEVEL_WORDS and value not in (None, False, "", {})
    )
    if foreign:
        raise RegistryError(
            422, f"{', '.join(foreign)[:200]}: not supported; only the compatibility level is."
        )
    return next((found for word in _LEVEL_WORDS if (found := _given(request, word))), "?")


class ConfigView(RegistryView):
    """The compatibility level of all subjects."""

    def get(self, request: Request, slug: str) -> Response:
        """The level."""
        return Response({"compatibilityLevel": get_settings(self.workspace).level})

    def put(self, request: Request, slug: str) -> Response:
        """Change it."""
        level = _given_level(request)
        set_level(self.workspace, "", level, self.user.username)
        return Response({"compatibility": level})

    def delete(self, request: Request, slug: str) -> Response:
        """Back to BACKWARD."""
        was = get_settings(self.workspace).level
        set_level(self.workspace, "", "BACKWARD", self.user.username)
        return Response({"compatibilityLevel": was})


class SubjectConfigView(RegistryView):
    """The compatibility level of one subject."""

    def get(self, request: Request, slug: str, subject: str) -> Response:
        """Its own level, or with ``defaultToGlobal`` the one that holds."""
        own = self._own(subject)
        if not own and not self.flag("defaultToGlobal"):
            raise RegistryError(
                40408, f"Subject '{subject}' does not have subject-level compatibility configured"
            )
        return Response({"compatibilityLevel": own or get_settings(self.workspace).level})

    def put(self, request: Request, slug: str, subject: str) -> Response:
        """Change it."""
        level = _given_level(request)
        set_level(self.workspace, subject, level, self.user.username)
        return Response({"compatibility": level})

    def delete(self, request: Request, slug: str, subject: str) -> Response:
        """As all subjects again."""
        own = self._own(subject)
        if not own:
            raise no_subject(subject)
        set_level(self.workspace, subject, "", self.user.username)
        return Response({"compatibilityLevel": own})

    def _own(self, subject: str) -> str:
        found = Subject.objects.of(self.workspace).filter(name=subject).first()
        return found.level if found is not None else ""


class ModeView(RegistryView):
    """The mode of all subjects."""

    def get(self, request: Request, slug: str) -> Response:
        """The mode."""
        return Response({"mode": get_settings(self.workspace).mode})

    def put(self, request: Request, slug: str) -> Response:
        """Change it."""
        mode = _given(request, "mode")
        set_mode(self.workspace, "", mode or "?", self.user.username)
        return Response({"mode": mode})

    def delete(self, request: Request, slug: str) -> Response:
        """Back to READWRITE."""
        was = get_settings(self.workspace).mode
        set_mode(self.workspace, "", "READWRITE", self.user.username)
        return Response({"mode": was})


class SubjectModeView(RegistryView):
    """The mode of one subject."""

    def get(self, request: Request, slug: str, subject: str) -> Response:
        """Its own mode, or with ``defaultToGlobal`` the one that holds."""
        own = self._own(subject)
        if not own and not self.flag("defaultToGlobal"):
            raise RegistryError(40409, f"Subject '{subject}' does not have subject-level mode configured")
        return Response({"mode": own or get_settings(self.workspace).mode})

    def put(self, request: Request, slug: str, subject: str) -> Response:
        """Change it."""
        mode = _given(request, "mode")
        set_mode(self.workspace, subject, mode or "?", self.user.username)
        return Response({"mode": mode})

    def delete(self, request: Request, slug: str, subject: str) -> Response:
        """As all subjects again."""
        own = self._own(subject)
        if not own:
            raise no_subject(subject)
        set_mode(self.workspace, subject, "", self.user.username)
        return Response({"mode": own})

    def _own(self, subject: str) -> str:
        found = Subject.objects.of(self.workspace).filter(name=subject).first()
        return found.mode if found is not None else ""


class CompatibilityView(RegistryView):
    """Whether a schema would be accepted."""

    rights: ClassVar[dict[str, Right]] = {"POST": Right.CHECK}

    def post(self, request: Request, slug: str, subject: str, version: str | None = None) -> Response:
        """Compare it with one version, or with all that the level requires."""
        found = conflicts_with(
            self.workspace, subject, schema_draft(request), version, normalize=self.flag("normalize")
        )
        answer: dict[str, Any] = {"is_compatible": not found}
        if self.flag("verbose"):
            new = parse_draft(self.workspace, schema_draft(request), normalize=self.flag("normalize"))
            answer |= {
                "messages": [conflict.text for conflict in found],
                "conflicts": [conflict.as_json() for conflict in found],
                "impacts": [impact.as_json() for impact in impacts(self.workspace, subject, new)],
            }
        return Response(answer)
