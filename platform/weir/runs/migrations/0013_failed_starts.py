from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0012_viewed")]

    operations = [
        migrations.AddField(
            model_name="engine", name="failed_starts", field=models.PositiveIntegerField(default=0)
        ),
    ]
