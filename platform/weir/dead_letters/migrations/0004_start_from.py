from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('dead_letters', '0003_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='validator',
            name='start_from',
            field=models.CharField(choices=[('earliest', 'Earliest'), ('now', 'Now')], default='earliest', max_length=10),
        ),
    ]
