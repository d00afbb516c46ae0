from django.apps import AppConfig
from django.utils.module_loading import import_string

# Who asks before something is taken, and who answers.
_REVIEWS = {
    "weir.schemas.reviews.REVIEWS": "weir.impact.schema_change.review_schema",
    "weir.streams.reviews.REVIEWS": "weir.impact.schema_change.review_contract",
}


class ImpactConfig(AppConfig):
    name = "weir.impact"
    label = "impact"

    def ready(self) -> None:
        # Models can only be imported from here on.
        for asked, answers in _REVIEWS.items():
            reviews, review = import_string(asked), import_string(answers)
            if review not in reviews:
                reviews.append(review)
