from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("alerts", "0005_objective_budget")]

    operations = [
        migrations.AlterModelOptions(
            name="objective", options={"ordering": ["job__name", "kind", "output"]}
        ),
        migrations.RemoveConstraint(model_name="objective", name="one_objective_per_kind"),
        migrations.AddField(
            model_name="objective",
            name="output",
            field=models.CharField(blank=True, default="", max_length=100),
        ),
        migrations.AddConstraint(
            model_name="objective",
            constraint=models.UniqueConstraint(
                fields=("job", "kind", "output"), name="one_objective_per_output"
            ),
        ),
    ]
