from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0004_avro")]

    operations = [
        migrations.AddField("generation", "stages_topic", models.CharField(max_length=249, blank=True, default="")),
        migrations.AddField("generation", "stages_topic_id", models.CharField(max_length=40, blank=True, default="")),
    ]
