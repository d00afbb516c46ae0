"""Appended rows without a window have no key of their own, those behind deduplicate neither: stored results say
so, and topics of such get the retention at the next start.
"""

from typing import Any

from django.db import migrations


def describe_anew(apps: Any, schema_editor: Any) -> None:
    """Describe stored results as `weir.runs.services.planning.result_of` does."""
    for name in ("Generation", "JobVersion"):
        model = apps.get_model("runs", name)
        ids = list(model.objects.order_by().values_list("pk", flat=True))
        for pk in ids:  # one by one: documents may be large
            result = model.objects.values_list("result", flat=True).get(pk=pk)
            if not _is_keyed_for_nothing(result):
                continue
            rows = model.objects.filter(pk=pk)
            rows.update(result={**result, "identity": [], "identity_kind": "row"})
            if name == "Generation":
                (retention_ms,) = rows.values_list("retention_ms", flat=True)
                rows.filter(topics_ready=True, topic_retention_ms=None).update(topic_retention_ms=retention_ms)


def _is_keyed_for_nothing(result: dict[str, Any]) -> bool:
    keyed = result.get("kind") == "append" and result.get("identity_kind") == "key"
    return keyed and not result.get("windowed")


class Migration(migrations.Migration):
    dependencies = [("runs", "0030_host_full")]
    operations = [migrations.RunPython(describe_anew, migrations.RunPython.noop)]
