from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('schemas', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='schema',
            name='published',
            field=models.BooleanField(default=False),
        ),
    ]
