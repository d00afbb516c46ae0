"""Values of groups get a size; what is stored is cut the same way, so that open alerts are still found."""

import hashlib
import json
from typing import Any

from django.db import migrations


def cut_groups(apps: Any, schema_editor: Any) -> None:
    """Cut long values of stored groups, as `group_value` does, and digest these groups anew."""
    alert_model = apps.get_model("alerts", "Alert")
    ids = list(alert_model.objects.order_by().values_list("pk", flat=True))
    for pk in ids:  # one by one: a group may have megabytes
        group = alert_model.objects.values_list("group", flat=True).get(pk=pk)
        cut = {name: _cut(value) for name, value in group.items()}
        if cut != group:
            text = json.dumps(cut, sort_keys=True, separators=(",", ":"))
            digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
            alert_model.objects.filter(pk=pk).update(group=cut, digest=digest)


def _cut(value: Any) -> Any:
    text = json.dumps(value, sort_keys=True)
    if len(text) <= 500:
        return value
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    shown = value if isinstance(value, str) else text
    return f"{shown[:200]}… ({digest})"


class Migration(migrations.Migration):
    dependencies = [("alerts", "0007_channel_revision")]
    operations = [migrations.RunPython(cut_groups, migrations.RunPython.noop)]
