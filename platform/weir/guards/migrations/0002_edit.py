from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("guards", "0001_initial"),
    ]

    operations = [
        migrations.AddField(model_name="redrive", name="edit", field=models.JSONField(default=list)),
    ]
