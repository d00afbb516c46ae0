"""What is encrypted is longer than the password: 255 characters may have four bytes each."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("clusters", "0004_revision")]
    operations = [
        migrations.AlterField("cluster", "password", models.CharField(max_length=2_000, blank=True)),
    ]
