from typing import Any

from django.db import migrations, models
from django.db.models import Q

# The states of runs whose queries had been started, when this was written.
_LET_IN = ("running", "replaying", "waiting", "stopping")


def admit(apps: Any, _editor: Any) -> None:
    """Runs that run now keep their place; those that wait, and all others, ask for it."""
    runs = apps.get_model("runs", "Run").objects
    let_in = Q(observed__in=_LET_IN) | Q(start_phases__has_key="queries_started")
    runs.filter(let_in).update(admitted=True)


class Migration(migrations.Migration):
    dependencies = [("runs", "0009_lag_health")]

    operations = [
        migrations.RemoveField(model_name="run", name="recovering"),
        migrations.AddField(model_name="run", name="admitted", field=models.BooleanField(default=False)),
        migrations.RunPython(admit, migrations.RunPython.noop),
    ]
