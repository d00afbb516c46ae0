from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def mark_requested(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Until now ready topics without an id were those that a validator had asked for."""
    generations = apps.get_model("runs", "Generation").objects.using(editor.connection.alias)
    generations.filter(job__kind="validator", topics_ready=True, result_topic_id="").update(
        topics_ready=False, topic_requested=True
    )


class Migration(migrations.Migration):
    dependencies = [("runs", "0022_measures_on_old_state")]

    operations = [
        migrations.AddField(
            model_name="generation",
            name="topic_requested",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(mark_requested, migrations.RunPython.noop),
    ]
