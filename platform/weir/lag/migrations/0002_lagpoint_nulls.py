from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('lag', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='lagpoint',
            name='expression_nulls',
            field=models.BigIntegerField(default=0),
        ),
        migrations.AddField(
            model_name='lagpoint',
            name='limit_reached',
            field=models.BigIntegerField(default=0),
        ),
    ]
