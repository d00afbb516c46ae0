from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("guards", "0002_edit"),
    ]

    operations = [
        migrations.AddField(model_name="redrive", name="record", field=models.JSONField(null=True)),
    ]
