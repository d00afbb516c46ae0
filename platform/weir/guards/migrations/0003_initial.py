import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('guards', '0002_initial'),
        ('streams', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='guard',
            name='stream',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='guard', to='streams.stream'),
        ),
    ]
