"""Gives the workspaces that exist the rules that every new one has."""

from django.db import migrations

from weir.alerts.services.templates import TEMPLATES


def add_rules(apps, schema_editor):
    rules = apps.get_model("alerts", "AlertRule")
    for workspace in apps.get_model("workspaces", "Workspace").objects.all():
        rules.objects.bulk_create(
            [
                rules(workspace=workspace, name=one.name, document=one.document.as_json(), template=one.code)
                for one in TEMPLATES
            ],
            ignore_conflicts=True,
        )


class Migration(migrations.Migration):
    dependencies = [("alerts", "0001_initial")]
    operations = [migrations.RunPython(add_rules, migrations.RunPython.noop)]
