"""Since when an engine's host is full: for a moment it is whenever an engine starts."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0029_asked")]
    operations = [migrations.AddField("engine", "host_full_since", models.DateTimeField(null=True))]
