"""IDs of schemas that were deleted for good keep their meaning."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("schemas", "0001_initial"), ("workspaces", "0001_initial")]
    operations = [
        migrations.CreateModel(
            name="RemovedSchema",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("schema_id", models.PositiveIntegerField()),
                ("digest", models.CharField(max_length=64)),
                (
                    "workspace",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="removed_schemas",
                        to="workspaces.workspace",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("workspace", "schema_id"), name="one_removed_schema_per_id"
                    )
                ],
            },
        ),
    ]
