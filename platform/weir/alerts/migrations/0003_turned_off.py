from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("alerts", "0002_templates")]
    operations = [
        migrations.AddField(
            model_name="alertrule",
            name="turned_off",
            field=models.CharField(
                blank=True, choices=[("", "Not By Weir"), ("TOO_SLOW", "Too Slow")], default="", max_length=20
            ),
        ),
    ]
