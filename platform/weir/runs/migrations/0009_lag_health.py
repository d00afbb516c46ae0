from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0008_job_drawing")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="lag_health",
            field=models.JSONField(null=True),
        ),
    ]
