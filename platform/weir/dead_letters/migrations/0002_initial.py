import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('dead_letters', '0001_initial'),
        ('runs', '0001_initial'),
        ('streams', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='redrive',
            name='target',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='streams.stream'),
        ),
        migrations.AddField(
            model_name='deadletter',
            name='redrive',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='dead_letters', to='dead_letters.redrive'),
        ),
        migrations.AddField(
            model_name='validator',
            name='job',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='validator', to='runs.job'),
        ),
        migrations.AddField(
            model_name='validator',
            name='stream',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='validator', to='streams.stream'),
        ),
    ]
