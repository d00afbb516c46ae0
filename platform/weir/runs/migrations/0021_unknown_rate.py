"""A rate that was not measured yet is null."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0020_edited_in")]

    operations = [
        migrations.AlterField(model_name="run", name="rows_per_second", field=models.FloatField(null=True)),
    ]
