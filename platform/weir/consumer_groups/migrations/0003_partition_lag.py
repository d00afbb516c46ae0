"""Partitions have their lag among their values: what was stored without it is stored anew by the next pass."""

from typing import Any

from django.db import migrations


def forget_partitions(apps: Any, editor: Any) -> None:
    """Empty the lists of partitions."""
    topics = apps.get_model("consumer_groups", "GroupTopic")
    topics.objects.using(editor.connection.alias).update(partitions=[])


class Migration(migrations.Migration):
    dependencies = [("consumer_groups", "0002_extremes")]

    operations = [migrations.RunPython(forget_partitions, migrations.RunPython.noop)]
