import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('clusters', '0002_initial'),
        ('streams', '0001_initial'),
        ('workspaces', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='ownedtopic',
            name='workspace',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='workspaces.workspace'),
        ),
        migrations.AddField(
            model_name='stream',
            name='cluster',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='streams', to='clusters.cluster'),
        ),
        migrations.AddField(
            model_name='stream',
            name='workspace',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='streams', to='workspaces.workspace'),
        ),
        migrations.AddField(
            model_name='savedscan',
            name='stream',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='streams.stream'),
        ),
        migrations.AddField(
            model_name='streamuse',
            name='stream',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='uses', to='streams.stream'),
        ),
        migrations.AddConstraint(
            model_name='ownedtopic',
            constraint=models.UniqueConstraint(fields=('cluster', 'topic'), name='one_owner_per_topic'),
        ),
        migrations.AddConstraint(
            model_name='stream',
            constraint=models.UniqueConstraint(fields=('workspace', 'name'), name='one_stream_per_name'),
        ),
        migrations.AddConstraint(
            model_name='streamuse',
            constraint=models.UniqueConstraint(fields=('stream', 'job_id'), name='one_use_per_job'),
        ),
    ]
