from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0027_superseded_data'),
    ]

    operations = [
        migrations.AddField(
            model_name='job',
            name='starts',
            field=models.PositiveIntegerField(default=0),
        ),
    ]
