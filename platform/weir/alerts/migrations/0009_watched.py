"""An alert keeps what its rule watched, so that one whose rule was changed meanwhile ends."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("alerts", "0008_group_values")]
    operations = [
        migrations.AddField("alert", "watch", models.CharField(max_length=32, blank=True, default=""), preserve_default=False),
    ]
