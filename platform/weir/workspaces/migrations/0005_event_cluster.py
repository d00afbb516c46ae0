"""Events say on which cluster their object is; of moved offsets it stood in the sentence alone."""

from django.db import migrations, models


def name_clusters(apps, schema_editor):
    events = apps.get_model("workspaces", "Event").objects.filter(kind="consumer_group", action="changed")
    for cluster in apps.get_model("clusters", "Cluster").objects.all():
        moved = events.filter(text__contains=f" moved on {cluster.name}:")
        if cluster.workspace_id is not None:
            moved = moved.filter(workspace=cluster.workspace_id)
        moved.update(cluster=cluster.pk)


class Migration(migrations.Migration):
    dependencies = [("workspaces", "0004_json_keeps_order"), ("clusters", "0002_initial")]

    operations = [
        migrations.AddField(
            model_name="event",
            name="cluster",
            field=models.CharField(blank=True, default="", max_length=40),
        ),
        migrations.RunPython(name_clusters, migrations.RunPython.noop),
    ]
