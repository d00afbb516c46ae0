import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('runs', '0001_initial'),
        ('workspaces', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='engine',
            name='workspace',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='engines', to='workspaces.workspace'),
        ),
        migrations.AddField(
            model_name='job',
            name='workspace',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='workspaces.workspace'),
        ),
        migrations.AddField(
            model_name='generation',
            name='job',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='generations', to='runs.job'),
        ),
        migrations.AddField(
            model_name='jobversion',
            name='created_by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='jobversion',
            name='job',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='runs.job'),
        ),
        migrations.AddField(
            model_name='run',
            name='engine',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='runs', to='runs.engine'),
        ),
        migrations.AddField(
            model_name='run',
            name='generation',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='run', to='runs.generation'),
        ),
        migrations.AddField(
            model_name='execution',
            name='run',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='executions', to='runs.run'),
        ),
        migrations.AddConstraint(
            model_name='job',
            constraint=models.UniqueConstraint(fields=('workspace', 'name'), name='one_job_per_name'),
        ),
        migrations.AddConstraint(
            model_name='generation',
            constraint=models.UniqueConstraint(fields=('job', 'number'), name='one_generation_per_number'),
        ),
        migrations.AddConstraint(
            model_name='jobversion',
            constraint=models.UniqueConstraint(fields=('job', 'number'), name='one_version_per_number'),
        ),
        migrations.AddConstraint(
            model_name='execution',
            constraint=models.UniqueConstraint(fields=('run', 'epoch'), name='one_execution_per_epoch'),
        ),
    ]
