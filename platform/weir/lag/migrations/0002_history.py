"""History in three resolutions. The hour of points that there was is not carried over."""

from django.db import migrations, models

MEASURES = (
    "lag_records",
    "lag_seconds",
    "rows_in_per_second",
    "rows_out_per_second",
    "freshness_seconds",
    "watermark_delay_seconds",
    "latency_ms",
    "state_rows",
    "state_bytes",
)
COUNTS = ("malformed", "late", "expression_nulls", "limit_reached")


class Migration(migrations.Migration):
    dependencies = [("lag", "0001_initial")]

    operations = [
        migrations.DeleteModel(name="LagPoint"),
        migrations.CreateModel(
            name="LagPoint",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("job_id", models.CharField(max_length=64)),
                ("resolution_s", models.PositiveSmallIntegerField()),
                ("at_us", models.BigIntegerField()),
                *(
                    (f"{name}{suffix}", models.FloatField(null=True))
                    for name in MEASURES
                    for suffix in ("", "_min", "_max")
                ),
                *((name, models.BigIntegerField(default=0)) for name in COUNTS),
            ],
            options={
                "indexes": [models.Index(fields=["resolution_s", "at_us"], name="lag_point_resolution_at")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("job_id", "resolution_s", "at_us"), name="one_lag_point_per_time"
                    )
                ],
            },
        ),
    ]
