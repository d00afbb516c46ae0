from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0026_plays_ready'),
    ]

    operations = [
        migrations.AddField(
            model_name='generation',
            name='data_deleted',
            field=models.BooleanField(default=False),
        ),
    ]
