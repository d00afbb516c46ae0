import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('guards', '0003_initial'),
        ('streams', '0001_initial'),
        ('workspaces', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='guard',
            name='workspace',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='guards', to='workspaces.workspace'),
        ),
        migrations.AddField(
            model_name='deadletter',
            name='guard',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='letters', to='guards.guard'),
        ),
        migrations.AddField(
            model_name='countedrange',
            name='guard',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ranges', to='guards.guard'),
        ),
        migrations.AddField(
            model_name='redrive',
            name='guard',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='redrives', to='guards.guard'),
        ),
        migrations.AddField(
            model_name='redrive',
            name='target',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='streams.stream'),
        ),
        migrations.AddField(
            model_name='deadletter',
            name='redrive',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='letters', to='guards.redrive'),
        ),
        migrations.AddConstraint(
            model_name='countedrange',
            constraint=models.UniqueConstraint(fields=('guard', 'topic_id', 'partition', 'first'), name='one_row_per_range'),
        ),
        migrations.AddIndex(
            model_name='deadletter',
            index=models.Index(fields=['guard', 'state', 'reason'], name='letters_by_reason'),
        ),
        migrations.AddIndex(
            model_name='deadletter',
            index=models.Index(fields=['guard', 'dead_partition', 'dead_offset'], name='letters_by_place'),
        ),
        migrations.AddConstraint(
            model_name='deadletter',
            constraint=models.UniqueConstraint(fields=('guard', 'topic_id', 'partition', 'offset'), name='one_letter_per_record'),
        ),
    ]
