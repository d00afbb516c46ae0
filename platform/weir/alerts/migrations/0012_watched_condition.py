"""An alert keeps the condition that it met, and those of which channels are to be told are found by an index."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("alerts", "0011_refused_recipients")]
    operations = [
        migrations.AddField("alert", "watched", models.JSONField(null=True)),
        migrations.AddIndex("alert", models.Index(fields=["state", "told"], name="alert_owed")),
    ]
