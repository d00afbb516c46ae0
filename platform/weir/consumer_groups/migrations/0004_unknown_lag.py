"""The lag of a group whose offsets may not be read any more is unknown."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("consumer_groups", "0003_partition_lag")]

    operations = [migrations.AlterField("GroupTopic", "lag_records", models.BigIntegerField(null=True))]
