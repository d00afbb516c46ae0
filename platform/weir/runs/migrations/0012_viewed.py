from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("runs", "0011_host_memory")]

    operations = [
        migrations.AddField(model_name="job", name="viewed_at", field=models.DateTimeField(null=True)),
    ]
