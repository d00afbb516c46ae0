"""What came of deliveries is kept apart: when one arrived, and when and why one failed. Events know since when
they wait, which is not when what they tell of happened.
"""

import django.utils.timezone
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F


def carry_over(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    receivers = apps.get_model("openlineage", "LineageReceiver").objects
    receivers.filter(error="").update(sent_at=F("delivered_at"))
    receivers.exclude(error="").update(failed_at=F("delivered_at"))
    apps.get_model("openlineage", "LineageEvent").objects.update(created_at=F("at"), due_at=F("at"))


class Migration(migrations.Migration):
    dependencies = [("openlineage", "0001_initial")]

    operations = [
        migrations.AddField("lineagereceiver", "sent_at", models.DateTimeField(null=True)),
        migrations.AddField("lineagereceiver", "failed_at", models.DateTimeField(null=True)),
        migrations.AddField(
            "lineageevent", "created_at", models.DateTimeField(default=django.utils.timezone.now)
        ),
        migrations.AddField(
            "lineageevent", "due_at", models.DateTimeField(default=django.utils.timezone.now)
        ),
        migrations.AddField("lineageevent", "attempts", models.PositiveIntegerField(default=0)),
        migrations.RunPython(carry_over, migrations.RunPython.noop),
        migrations.RemoveField("lineagereceiver", "delivered_at"),
        migrations.RemoveIndex("lineageevent", "lineage_event_age"),
        migrations.AddIndex(
            "lineageevent", models.Index(fields=["state", "created_at"], name="lineage_event_age")
        ),
    ]
