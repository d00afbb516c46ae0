from typing import Any

from django.db import migrations, models

# The states of runs whose queries had been started, when this was written.
_LET_IN = ("running", "replaying", "waiting", "stopping")


def admit(apps: Any, _editor: Any) -> None:
    """Runs that run now, or ran before a failure, keep their place; all others ask for it."""
    runs = apps.get_model("runs", "Run").objects
    runs.filter(observed__in=_LET_IN).update(admitted=True)
    ran = [
        run_id
        for run_id, phases in runs.filter(admitted=False).values_list("id", "start_phases")
        if "queries_started" in phases
    ]
    runs.filter(pk__in=ran).update(admitted=True)


class Migration(migrations.Migration):
    dependencies = [("runs", "0009_lag_health")]

    operations = [
        migrations.RemoveField(model_name="run", name="recovering"),
        migrations.AddField(model_name="run", name="admitted", field=models.BooleanField(default=False)),
        migrations.RunPython(admit, migrations.RunPython.noop),
    ]
