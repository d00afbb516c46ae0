from django.apps import AppConfig
from django.utils.module_loading import import_string

from weir.runs.signals import example_used, version_made


class JobTestsConfig(AppConfig):
    name = "weir.job_tests"
    label = "job_tests"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Models can only be imported from here on.
        checks = import_string("weir.runs.services.start_checks.START_CHECKS")
        check = import_string("weir.job_tests.services.start_check.require_tests_passed")
        if check not in checks:
            checks.append(check)
        version_made.connect(
            import_string("weir.job_tests.receivers.version_made"), dispatch_uid="weir.job_tests"
        )
        example_used.connect(
            import_string("weir.job_tests.receivers.example_used"), dispatch_uid="weir.job_tests"
        )
