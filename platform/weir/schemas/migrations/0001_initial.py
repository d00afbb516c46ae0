import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('workspaces', '0001_initial'),
    ]

    operations = [
        migrations.CreateModel(
            name='RegistrySettings',
            fields=[
                ('workspace', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='registry', serialize=False, to='workspaces.workspace')),
                ('level', models.CharField(default='BACKWARD', max_length=20)),
                ('mode', models.CharField(default='READWRITE', max_length=20)),
                ('last_id', models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='Schema',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('schema_id', models.PositiveIntegerField()),
                ('guid', models.UUIDField(unique=True)),
                ('kind', models.CharField(max_length=10)),
                ('text', models.TextField()),
                ('references', models.JSONField(default=list)),
                ('metadata', models.JSONField(default=dict)),
                ('digest', models.CharField(max_length=64)),
                ('published', models.BooleanField(default=False)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='schemas', to='workspaces.workspace')),
            ],
        ),
        migrations.CreateModel(
            name='Subject',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=255)),
                ('last_version', models.PositiveIntegerField(default=0)),
                ('level', models.CharField(blank=True, max_length=20)),
                ('mode', models.CharField(blank=True, max_length=20)),
                ('workspace', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='subjects', to='workspaces.workspace')),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Version',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('deleted', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('schema', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='schemas.schema')),
                ('subject', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='schemas.subject')),
            ],
            options={
                'ordering': ['version'],
            },
        ),
        migrations.AddConstraint(
            model_name='schema',
            constraint=models.UniqueConstraint(fields=('workspace', 'schema_id'), name='one_schema_per_id'),
        ),
        migrations.AddConstraint(
            model_name='schema',
            constraint=models.UniqueConstraint(fields=('workspace', 'digest'), name='one_id_per_schema'),
        ),
        migrations.AddConstraint(
            model_name='subject',
            constraint=models.UniqueConstraint(fields=('workspace', 'name'), name='one_subject_per_name'),
        ),
        migrations.AddConstraint(
            model_name='version',
            constraint=models.UniqueConstraint(fields=('subject', 'version'), name='one_schema_per_version'),
        ),
    ]
