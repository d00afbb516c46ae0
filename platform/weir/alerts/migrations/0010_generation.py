"""An alert over rows keeps the generation of its job, so that it ends with it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("alerts", "0009_watched")]
    operations = [
        migrations.AddField("alert", "generation", models.PositiveIntegerField(null=True)),
    ]
