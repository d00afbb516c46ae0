from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('streams', '0002_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='ownedtopic',
            name='partitions',
            field=models.PositiveIntegerField(default=1),
        ),
    ]
