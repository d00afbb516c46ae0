"""A notification keeps which recipients of an e-mail did not get it; its error has room for their names."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("alerts", "0010_generation")]
    operations = [
        migrations.AddField("notification", "refused", models.JSONField(default=dict)),
        migrations.AlterField("notification", "error", models.CharField(max_length=1_000, blank=True)),
    ]
