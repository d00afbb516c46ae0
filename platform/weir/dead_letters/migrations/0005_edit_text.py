from django.db import migrations, models


class Migration(migrations.Migration):
    """Edits that are stored already are the text of their JSON."""

    dependencies = [
        ('dead_letters', '0004_start_from'),
    ]

    operations = [
        migrations.AlterField(
            model_name='redrive',
            name='edit',
            field=models.TextField(default='[]'),
        ),
    ]
