import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('dead_letters', '0002_initial'),
        ('workspaces', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='validator',
            name='workspace',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='validators', to='workspaces.workspace'),
        ),
        migrations.AddField(
            model_name='redrive',
            name='validator',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='redrives', to='dead_letters.validator'),
        ),
        migrations.AddField(
            model_name='deadletter',
            name='validator',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='dead_letters', to='dead_letters.validator'),
        ),
        migrations.AddField(
            model_name='countedrange',
            name='validator',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ranges', to='dead_letters.validator'),
        ),
        migrations.AddIndex(
            model_name='deadletter',
            index=models.Index(fields=['validator', 'state', 'reason'], name='dead_letters_by_reason'),
        ),
        migrations.AddIndex(
            model_name='deadletter',
            index=models.Index(fields=['validator', 'dead_partition', 'dead_offset'], name='dead_letters_by_offset'),
        ),
        migrations.AddConstraint(
            model_name='deadletter',
            constraint=models.UniqueConstraint(fields=('validator', 'topic_id', 'partition', 'offset'), name='one_dead_letter_per_record'),
        ),
        migrations.AddConstraint(
            model_name='countedrange',
            constraint=models.UniqueConstraint(fields=('validator', 'topic_id', 'partition', 'first'), name='one_row_per_range'),
        ),
    ]
