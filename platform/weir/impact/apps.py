from django.apps import AppConfig
from django.utils.module_loading import import_string


class ImpactConfig(AppConfig):
    name = "weir.impact"
    label = "impact"

    def ready(self) -> None:
        # Models can only be imported from here on.
        reviews, review = import_string("weir.schemas.reviews.REVIEWS"), import_string("weir.impact.schema_change.review_schema")
        if review not in reviews:
            reviews.append(review)
