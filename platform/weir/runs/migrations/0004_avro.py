from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0003_kinds")]

    operations = [migrations.AddField("run", "avro", models.JSONField(default=dict))]
