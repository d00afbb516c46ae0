"""Rules over the metric that is gone watch the health of the lag; every workspace gets the new templates."""

from django.db import migrations

from weir.alerts.services.templates import TEMPLATES


def watch_the_health(apps, schema_editor):
    rules = apps.get_model("alerts", "AlertRule")
    new = {one.code: one for one in TEMPLATES}
    for rule in rules.objects.filter(document__watch__metric="job.falling_behind_seconds"):
        if rule.template == "falling-behind":
            # severity and channels may have been changed; what holds for a minute is what was measured
            now = new[rule.template].document.as_json()
            watch = {**now["watch"], "job": rule.document["watch"].get("job")}
            document = {**rule.document, "watch": watch, "hold": now["hold"]}
        else:
            watch = {**rule.document["watch"], "metric": "job.needs_a_look", "above": 0, "below": None}
            document = {**rule.document, "watch": {**watch, "recovers_at": None}}
        rule.document = document
        rule.save(update_fields=["document"])
    for workspace in apps.get_model("workspaces", "Workspace").objects.all():
        rules.objects.bulk_create(
            [
                rules(workspace=workspace, name=one.name, document=one.document.as_json(), template=one.code)
                for one in TEMPLATES
            ],
            ignore_conflicts=True,
        )


class Migration(migrations.Migration):
    dependencies = [("alerts", "0003_turned_off")]
    operations = [migrations.RunPython(watch_the_health, migrations.RunPython.noop)]
