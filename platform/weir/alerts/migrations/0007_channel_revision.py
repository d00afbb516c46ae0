from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("alerts", "0006_objectives_of_outputs")]

    operations = [
        migrations.AddField(
            model_name="channel",
            name="revision",
            field=models.PositiveIntegerField(default=1),
        ),
    ]
