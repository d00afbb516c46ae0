from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0025_topic_retention'),
    ]

    operations = [
        migrations.AddField(
            model_name='engine',
            name='plays_ready',
            field=models.BooleanField(default=False),
        ),
    ]
