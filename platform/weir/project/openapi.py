"""How routes are described in the OpenAPI document."""

from drf_spectacular.openapi import AutoSchema

from weir.project.api_areas import area_of


class AreaSchema(AutoSchema):
    """One tag per area, instead of the first word after the common prefix."""

    def get_tags(self) -> list[str]:
        """The area that the route belongs to."""
        return [area_of(self.path)]
