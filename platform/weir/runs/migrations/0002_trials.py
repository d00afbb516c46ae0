from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0001_initial")]

    operations = [
        migrations.AddField("job", "shareable", models.BooleanField(default=True)),
        migrations.AddField(
            "run",
            "trial",
            models.CharField(blank=True, choices=[("", "None"), ("queued", "Queued"), ("trying", "Trying")], default="", max_length=10),
        ),
    ]
