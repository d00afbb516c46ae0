import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='ResultRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('job_id', models.CharField(max_length=64)),
                ('generation', models.PositiveIntegerField()),
                ('digest', models.CharField(max_length=32)),
                ('key', models.TextField()),
                ('value', models.TextField()),
                ('newest_input_us', models.BigIntegerField()),
                ('partial', models.BooleanField(default=False)),
                ('epoch', models.PositiveBigIntegerField()),
                ('partition', models.PositiveIntegerField()),
                ('offset', models.PositiveBigIntegerField()),
                ('timestamp_ms', models.BigIntegerField()),
            ],
            options={
                'indexes': [models.Index(fields=['job_id', 'generation', 'newest_input_us', 'digest'], name='result_row_newest')],
                'constraints': [models.UniqueConstraint(fields=('job_id', 'generation', 'digest'), name='result_row_key')],
            },
        ),
        migrations.CreateModel(
            name='ResultTopic',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('job_id', models.CharField(max_length=64)),
                ('generation', models.PositiveIntegerField()),
                ('topic', models.CharField(max_length=249)),
                ('topic_id', models.CharField(max_length=64)),
                ('epoch', models.PositiveBigIntegerField(default=0)),
                ('epoch_since_ms', models.BigIntegerField(default=0)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('job_id', 'generation'), name='result_topic_generation')],
            },
        ),
        migrations.CreateModel(
            name='ResultOffset',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('partition', models.PositiveIntegerField()),
                ('next_offset', models.PositiveBigIntegerField(default=0)),
                ('epoch', models.PositiveBigIntegerField(default=0)),
                ('topic', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='offsets', to='results.resulttopic')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('topic', 'partition'), name='result_offset_partition')],
            },
        ),
    ]
