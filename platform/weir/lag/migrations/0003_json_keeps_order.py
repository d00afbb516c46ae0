from django.db import migrations

# Of all tables of the database that exist by now; later ones are made so (weir.project.postgresql.base).
AS_JSON = """
DO $$
DECLARE found record;
BEGIN
  FOR found IN
    SELECT table_name, column_name FROM information_schema.columns
    WHERE table_schema = current_schema() AND data_type = 'jsonb'
  LOOP
    EXECUTE format('ALTER TABLE %I ALTER COLUMN %I TYPE json', found.table_name, found.column_name);
  END LOOP;
END $$
"""


def keep_order(apps, schema_editor):
    if schema_editor.connection.vendor == 'postgresql':
        schema_editor.execute(AS_JSON, params=None)


class Migration(migrations.Migration):

    dependencies = [
        ("lag", "0002_history"),
    ]

    operations = [
        migrations.RunPython(keep_order, migrations.RunPython.noop),
    ]
