from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='CurrentLag',
            fields=[
                ('job_id', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('at_us', models.BigIntegerField()),
                ('payload', models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name='LagPoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('job_id', models.CharField(max_length=64)),
                ('at_us', models.BigIntegerField()),
                ('lag_records', models.BigIntegerField(null=True)),
                ('lag_seconds', models.FloatField(null=True)),
                ('rows_in_per_second', models.FloatField(null=True)),
                ('rows_out_per_second', models.FloatField(null=True)),
                ('latency_ms_p50', models.FloatField(null=True)),
                ('state_rows', models.BigIntegerField(null=True)),
                ('state_bytes', models.BigIntegerField(null=True)),
                ('malformed', models.BigIntegerField(default=0)),
                ('late', models.BigIntegerField(default=0)),
                ('expression_nulls', models.BigIntegerField(default=0)),
                ('limit_reached', models.BigIntegerField(default=0)),
            ],
            options={
                'indexes': [models.Index(fields=['job_id', 'at_us'], name='lag_point_job_at'), models.Index(fields=['at_us'], name='lag_point_at')],
            },
        ),
    ]
