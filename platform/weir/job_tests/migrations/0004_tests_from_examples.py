from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("job_tests", "0003_tests_of_documents")]

    operations = [
        migrations.AddField(
            model_name="jobtest",
            name="from_example",
            field=models.BooleanField(default=False),
        ),
    ]
