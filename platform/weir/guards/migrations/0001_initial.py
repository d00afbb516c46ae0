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
                ('at', models.DateTimeField()),
                ('reason', models.CharField(max_length=40)),
                ('size', models.PositiveIntegerField()),
                ('preview', models.CharField(blank=True, max_length=200)),
                ('preview_is_text', models.BooleanField(default=True)),
                ('times', models.PositiveIntegerField(default=0)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('queued', 'Queued'), ('sending', 'Sending'), ('redriven', 'Redriven'), ('dropped', 'Dropped')], default='waiting', max_length=10)),
                ('note', models.CharField(blank=True, max_length=500)),
                ('settled_at', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='Guard',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('wanted', models.BooleanField(default=False)),
                ('trouble', models.CharField(blank=True, max_length=500)),
                ('taken_until', models.DateTimeField(null=True)),
                ('dead_topic_id', models.CharField(blank=True, max_length=40)),
                ('followed', models.JSONField(default=dict)),
                ('unread', models.BooleanField(default=False)),
            ],
        ),
        migrations.CreateModel(
            name='Redrive',
            fields=[
                ('id', models.CharField(default=weir.runs.models.new_id, max_length=20, primary_key=True, serialize=False)),
                ('made_by', models.CharField(max_length=150)),
                ('made_at', models.DateTimeField(auto_now_add=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('state', models.CharField(choices=[('running', 'Running'), ('done', 'Done'), ('cancelled', 'Cancelled')], default='running', max_length=10)),
                ('rate', models.PositiveIntegerField()),
                ('value', models.BinaryField(null=True)),
                ('record', models.JSONField(null=True)),
                ('edit', models.JSONField(default=list)),
                ('total', models.PositiveIntegerField(default=0)),
                ('sent', models.PositiveIntegerField(default=0)),
                ('refused', models.PositiveIntegerField(default=0)),
                ('trouble', models.CharField(blank=True, max_length=500)),
                ('lease', models.CharField(blank=True, max_length=20)),
                ('leased_until', models.DateTimeField(null=True)),
                ('ends', models.JSONField(default=dict)),
            ],
            options={
                'ordering': ['-made_at'],
            },
        ),
    ]
