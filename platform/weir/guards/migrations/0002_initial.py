import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('guards', '0001_initial'),
        ('runs', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='guard',
            name='job',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='guard', to='runs.job'),
        ),
    ]
