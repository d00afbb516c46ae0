"""Points keep the mean, the least and the greatest. Those that exist have the greatest lag and the mean rates."""

from django.db import migrations, models

LAGS = ("lag_records", "lag_seconds")
RATES = ("in_rate", "out_rate")


def added(name: str) -> migrations.AddField:
    return migrations.AddField("GroupPoint", name, models.FloatField(null=True))


class Migration(migrations.Migration):
    dependencies = [("consumer_groups", "0001_initial")]

    operations = [
        *(migrations.RenameField("GroupPoint", name, f"{name}_max") for name in LAGS),
        *(migrations.AlterField("GroupPoint", f"{name}_max", models.FloatField(null=True)) for name in LAGS),
        *(added(name) for lag in LAGS for name in (lag, f"{lag}_min")),
        *(added(f"{rate}{suffix}") for rate in RATES for suffix in ("_min", "_max")),
    ]
