from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Cluster',
            fields=[
                ('id', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('name', models.CharField(max_length=100)),
                ('bootstrap', models.CharField(max_length=500)),
                ('security', models.CharField(default='PLAINTEXT', max_length=20)),
                ('mechanism', models.CharField(blank=True, max_length=20)),
                ('username', models.CharField(blank=True, max_length=255)),
                ('password', models.CharField(blank=True, max_length=1000)),
                ('password_set_at', models.DateTimeField(null=True)),
                ('ca', models.TextField(blank=True)),
                ('reachable', models.BooleanField(null=True)),
                ('checked_at', models.DateTimeField(null=True)),
                ('error', models.CharField(blank=True, max_length=500)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
    ]
