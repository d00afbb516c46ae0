from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0024_rate_limit'),
    ]

    operations = [
        migrations.AddField(
            model_name='generation',
            name='topic_retention_ms',
            field=models.BigIntegerField(null=True),
        ),
    ]
