import weir.runs.models
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='CountedRange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('topic_id', models.CharField(max_length=40)),
                ('partition', models.PositiveIntegerField()),
                ('first', models.BigIntegerField()),
                ('last', models.BigIntegerField()),
                ('hour', models.DateTimeField()),
                ('valid', models.BigIntegerField(default=0)),
                ('skipped', models.BigIntegerField(default=0)),
                ('malformed', models.BigIntegerField(default=0)),
                ('reasons', models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name='DeadLetter',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('topic_id', models.CharField(max_length=40)),
                ('partition', models.PositiveIntegerField()),
                ('offset', models.BigIntegerField()),
                ('dead_partition', models.PositiveIntegerField()),
                ('dead_offset', models.BigIntegerField()),
                ('timestamp', models.DateTimeField()),
                ('reason', models.CharField(max_length=40)),
                ('size', models.PositiveIntegerField()),
                ('preview', models.CharField(blank=True, max_length=200)),
                ('preview_is_text', models.BooleanField(default=True)),
                ('redrive_count', models.PositiveIntegerField(default=0)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('queued', 'Queued'), ('sending', 'Sending'), ('redriven', 'Redriven'), ('discarded', 'Discarded')], default='waiting', max_length=10)),
                ('note', models.CharField(blank=True, max_length=500)),
                ('resolved_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Redrive',
            fields=[
                ('id', models.CharField(default=weir.runs.models.new_id, max_length=20, primary_key=True, serialize=False)),
                ('created_by', models.CharField(max_length=150)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('state', models.CharField(choices=[('running', 'Running'), ('done', 'Done'), ('cancelled', 'Cancelled')], default='running', max_length=10)),
                ('rate', models.PositiveIntegerField()),
                ('value', models.BinaryField(null=True)),
                ('record', models.JSONField(null=True)),
                ('edit', models.JSONField(default=list)),
                ('total', models.PositiveIntegerField(default=0)),
                ('sent', models.PositiveIntegerField(default=0)),
                ('failed', models.PositiveIntegerField(default=0)),
                ('last_error', models.CharField(blank=True, max_length=500)),
                ('lease_owner', models.CharField(blank=True, max_length=20)),
                ('leased_until', models.DateTimeField(null=True)),
                ('target_end_offsets', models.JSONField(default=dict)),
            ],
            options={
                'ordering': ['-created_at'],
            },
        ),
        migrations.CreateModel(
            name='Validator',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('enabled', models.BooleanField(default=False)),
                ('last_error', models.CharField(blank=True, max_length=500)),
                ('locked_until', models.DateTimeField(null=True)),
                ('dead_letter_topic_id', models.CharField(blank=True, max_length=40)),
                ('indexed_offsets', models.JSONField(default=dict)),
                ('index_pending', models.BooleanField(default=False)),
            ],
        ),
    ]
