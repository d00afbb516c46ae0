from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("job_tests", "0004_preparing_and_turns")]

    operations = [
        migrations.AddField(
            model_name="jobtest",
            name="from_example",
            field=models.BooleanField(default=False),
        ),
    ]
