import django.utils.timezone
import weir.runs.models
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Engine',
            fields=[
                ('id', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('shared', 'Shared'), ('dedicated', 'Dedicated'), ('isolation', 'Isolation')], max_length=10)),
                ('should_run', models.BooleanField(default=True)),
                ('state', models.CharField(choices=[('starting', 'Starting'), ('ready', 'Ready'), ('stopping', 'Stopping'), ('stopped', 'Stopped'), ('lost', 'Lost'), ('failed', 'Failed')], default='stopped', max_length=10)),
                ('host_queue', models.CharField(max_length=120)),
                ('incarnation', models.CharField(blank=True, max_length=40)),
                ('handle', models.JSONField(null=True)),
                ('reported_incarnation', models.CharField(blank=True, max_length=40)),
                ('ready', models.BooleanField(default=False)),
                ('slots', models.PositiveIntegerField(default=0)),
                ('slots_used', models.PositiveIntegerField(default=0)),
                ('memory_bytes', models.BigIntegerField(default=0)),
                ('last_seen_at', models.DateTimeField(null=True)),
                ('started_at', models.DateTimeField(null=True)),
                ('last_command_at', models.DateTimeField(null=True)),
                ('crashes', models.JSONField(default=list)),
                ('retry_at', models.DateTimeField(null=True)),
                ('failure', models.JSONField(null=True)),
                ('versions', models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name='Execution',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('epoch', models.PositiveIntegerField()),
                ('version', models.PositiveIntegerField()),
                ('mode', models.CharField(max_length=10)),
                ('engine_id', models.CharField(max_length=40)),
                ('started_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('state', models.CharField(default='starting', max_length=10)),
                ('end_reason', models.CharField(blank=True, max_length=500)),
                ('failure', models.JSONField(null=True)),
            ],
            options={
                'ordering': ['-started_at'],
            },
        ),
        migrations.CreateModel(
            name='Generation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('fingerprint', models.CharField(max_length=80)),
                ('started_from', models.CharField(max_length=10)),
                ('sources', models.JSONField()),
                ('partial_before_us', models.BigIntegerField(null=True)),
                ('topics_ready', models.BooleanField(default=False)),
                ('checkpoint', models.CharField(max_length=500)),
                ('shuffle_partitions', models.PositiveIntegerField()),
                ('result_topic', models.CharField(max_length=249)),
                ('result_topic_id', models.CharField(blank=True, max_length=40)),
                ('result_partitions', models.PositiveIntegerField(default=2)),
                ('exchange_topic', models.CharField(blank=True, default='', max_length=249)),
                ('exchange_topic_id', models.CharField(blank=True, default='', max_length=40)),
                ('result', models.JSONField(default=dict)),
                ('retention_ms', models.BigIntegerField()),
            ],
            options={
                'ordering': ['-number'],
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.CharField(default=weir.runs.models.new_id, max_length=20, primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('job', 'Job'), ('validator', 'Validator')], default='job', max_length=10)),
                ('name', models.CharField(max_length=100)),
                ('description', models.CharField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('desired', models.CharField(choices=[('running', 'Running'), ('stopped', 'Stopped'), ('deleted', 'Deleted')], default='stopped', max_length=10)),
                ('version', models.PositiveIntegerField(default=1)),
                ('generation', models.PositiveIntegerField(null=True)),
                ('shareable', models.BooleanField(default=True)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='JobVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('note', models.CharField(blank=True, max_length=500)),
                ('document_text', models.TextField()),
                ('document', models.JSONField()),
                ('fingerprint', models.CharField(max_length=80)),
                ('mode', models.CharField(max_length=10)),
                ('mode_reasons', models.JSONField(default=list)),
                ('result', models.JSONField(default=dict)),
                ('changes', models.JSONField(default=list)),
            ],
            options={
                'ordering': ['-number'],
            },
        ),
        migrations.CreateModel(
            name='ReconcilerState',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('broker_answers_since', models.DateTimeField(null=True)),
                ('relay_caught_up_at', models.DateTimeField(null=True)),
                ('runs_topic_id', models.CharField(blank=True, max_length=40)),
                ('reconciling_until', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Run',
            fields=[
                ('id', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('version', models.PositiveIntegerField()),
                ('mode', models.CharField(max_length=10)),
                ('mode_reasons', models.JSONField(default=list)),
                ('slots', models.PositiveIntegerField(default=1)),
                ('avro', models.JSONField(default=dict)),
                ('desired', models.CharField(choices=[('running', 'Running'), ('stopped', 'Stopped'), ('deleted', 'Deleted')], default='running', max_length=10)),
                ('epoch', models.PositiveIntegerField(default=1)),
                ('revision', models.PositiveIntegerField(default=1)),
                ('applied_epoch', models.PositiveIntegerField(default=0)),
                ('applied_revision', models.PositiveIntegerField(default=0)),
                ('observed', models.CharField(choices=[('starting', 'Starting'), ('running', 'Running'), ('replaying', 'Replaying'), ('waiting', 'Waiting'), ('stopping', 'Stopping'), ('stopped', 'Stopped'), ('failed', 'Failed')], default='starting', max_length=10)),
                ('observed_since', models.DateTimeField(default=django.utils.timezone.now)),
                ('last_seen_at', models.DateTimeField(null=True)),
                ('published_at', models.DateTimeField(null=True)),
                ('awaiting_stop', models.BooleanField(default=False)),
                ('isolation', models.CharField(blank=True, choices=[('', 'None'), ('queued', 'Queued'), ('active', 'Active')], default='', max_length=10)),
                ('failure', models.JSONField(null=True)),
                ('crashes', models.JSONField(default=list)),
                ('retry_at', models.DateTimeField(null=True)),
                ('replay_until', models.JSONField(default=dict)),
                ('positions', models.JSONField(default=dict)),
                ('watermark_us', models.BigIntegerField(null=True)),
                ('lag_records', models.BigIntegerField(null=True)),
                ('lag_seconds', models.FloatField(null=True)),
                ('rows_per_second', models.FloatField(default=0)),
                ('freshness_ms', models.BigIntegerField(null=True)),
                ('skipping', models.JSONField(default=list)),
            ],
        ),
    ]
