from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0002_trials")]

    operations = [
        migrations.AddField(
            "job", "kind", models.CharField(choices=[("job", "Job"), ("guard", "Guard")], default="job", max_length=10)
        ),
    ]
