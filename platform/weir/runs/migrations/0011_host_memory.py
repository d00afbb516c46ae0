from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0010_admitted")]

    operations = [
        migrations.AddField(
            model_name="enginehost", name="memory_available", field=models.BigIntegerField(null=True)
        ),
    ]
