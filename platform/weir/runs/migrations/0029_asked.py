"""When a host was last asked: commands to one that is silent stay in its queue."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0028_starts")]
    operations = [migrations.AddField("enginehost", "asked_at", models.DateTimeField(null=True))]
