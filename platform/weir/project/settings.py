"""Django settings. Everything that differs between machines comes from the environment."""

import os
import socket
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import quote

import environ

from weir.project.api_areas import TAGS
from weir.project.keys import key_from_file, private_folder
from weir.project.logs import LOGGING as LOGGING
from weir.project.switches import switch
from weir.retention import WRONG_PASSWORDS_TTL

env = environ.Env()

BASE_DIR = Path(__file__).resolve().parents[3]
DATA_DIR = Path(env.str("WEIR_DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
private_folder(DATA_DIR)

SECRET_KEY = key_from_file(
    Path(env.str("WEIR_SECRET_KEY_FILE", default=str(DATA_DIR / "secrets" / "django.key")))
)
ENCRYPTION_KEY_FILE = Path(
    env.str("WEIR_ENCRYPTION_KEY_FILE", default=str(DATA_DIR / "secrets" / "encryption.keys"))
)

# What Prometheus says to read the series of all workspaces (`weir.project.metrics_page`).
METRICS_TOKEN = key_from_file(
    Path(env.str("WEIR_METRICS_TOKEN_FILE", default=str(DATA_DIR / "secrets" / "metrics.token")))
)
METRICS_MAX_SERIES = env.int("WEIR_METRICS_MAX_SERIES", default=10_000)  # of each workspace

# Addresses
HOSTNAME = socket.gethostname()
WEB_PORT = env.int("WEIR_WEB_PORT", default=8400)
ALLOWED_HOSTS = env.list("WEIR_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("WEIR_TRUSTED_ORIGINS", default=[])
BEHIND_TLS = switch(env, "WEIR_BEHIND_TLS", default=False)
NUM_PROXIES = env.int(
    "WEIR_NUM_PROXIES", default=0
)  # in front of us, each adding to X-Forwarded-For; 0: the header is not read
REDIS_URL = env.str("REDIS_URL", default="redis://127.0.0.1:16379/0")
KAFKA_BOOTSTRAP_SERVERS = env.str("KAFKA_BOOTSTRAP_SERVERS", default="127.0.0.1:19092")
KAFKA_SECURITY = env.str("KAFKA_SECURITY", default="PLAINTEXT")
KAFKA_MECHANISM = env.str("KAFKA_MECHANISM", default="")
KAFKA_USERNAME = env.str("KAFKA_USERNAME", default="")
KAFKA_PASSWORD_FILE = env.str("KAFKA_PASSWORD_FILE", default="")  # 0600
KAFKA_CA_FILE = env.str("KAFKA_CA_FILE", default="")
KAFKA_OPEN_BOOTSTRAP_SERVERS = env.str(
    "KAFKA_OPEN_BOOTSTRAP_SERVERS", default=""
)  # of the home cluster, for people's own tools
PRIVATE_CLUSTERS = switch(
    env, "WEIR_PRIVATE_CLUSTERS", default=True
)  # clusters on loopback and private addresses
KAFKA_REPLICATION = env.int("WEIR_KAFKA_REPLICATION", default=1)

# The most of each that one workspace may have; WEIR_QUOTAS changes some of them: jobs=50;partitions=500.
QUOTAS = {
    "jobs": 1_000,
    "versions": 2_000,  # of each job
    "tests": 100,  # of each job
    "streams": 2_000,
    "contract_characters": 64_000_000,  # lists and maps of streams read them all
    "clusters": 50,
    "partitions": 2_000,
    "alert_rules": 1_000,
    "alert_channels": 50,
    "silences": 500,
    "objectives": 1_000,
    "schemas": 10_000,
    "subjects": 10_000,
} | env.dict("WEIR_QUOTAS", cast={"value": int}, default={})

# Engines
SPARK_MASTER = env.str("SPARK_MASTER", default="local")
SPARK_SECRET_FILE = env.str(
    "SPARK_SECRET_FILE", default=""
)  # 0600; spark.authenticate.secret of a standalone master
CHECKPOINT_URL = env.str("CHECKPOINT_URL", default=f"file://{DATA_DIR}/checkpoints")
JARS_DIR = Path(env.str("WEIR_JARS_DIR", default=str(BASE_DIR / "jvm" / "lib")))
HOST_QUEUE = env.str("WEIR_HOST_QUEUE", default=f"engines.{HOSTNAME}")
# A running job says so when this share of a source's records is malformed, and at least so many;
# all of them always count.
SKIPPED_SHARE = env.float("WEIR_SKIPPED_SHARE", default=0.05)
SKIPPED_MINIMUM = env.int("WEIR_SKIPPED_MINIMUM", default=20)
WARM_ENGINE = switch(env, "WEIR_WARM_ENGINE", default=False)
STANDBY = switch(env, "WEIR_STANDBY", default=False, other=("auto",))  # which `make run` alone decides
ENGINE_SLOTS = env.int("WEIR_ENGINE_SLOTS", default=128)
ENGINE_MEMORY_MB = env.int("WEIR_ENGINE_MEMORY_MB", default=1280)
RESULT_PARTITIONS = env.int("WEIR_RESULT_PARTITIONS", default=2)
SHUFFLE_PARTITIONS = env.int("WEIR_SHUFFLE_PARTITIONS", default=1)


def _installed(*apps: str) -> list[str]:
    return [f"weir.{app}" for app in apps if (BASE_DIR / "platform" / "weir" / app / "apps.py").exists()]


INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "channels",
    "rest_framework",
    "knox",
    "axes",
    "drf_spectacular",
    "weir.workspaces",
    "weir.clusters",
    "weir.schemas",
    "weir.streams",
    "weir.runs",
    *_installed("dead_letters", "results", "lag", "consumer_groups", "job_tests", "run_logs"),
    *_installed("impact", "diagnosis", "dashboards", "monitoring", "alerts", "openlineage", "preview"),
    *_installed("live", "relay", "embedded"),
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "weir.workspaces.api.client_address.RequestOriginMiddleware",
    "weir.project.headers.ContentSecurityMiddleware",
    "weir.project.nul_characters.NulCharacterMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "weir.project.headers.HostMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "weir.project.urls"
ASGI_APPLICATION = "weir.project.asgi.application"
APPEND_SLASH = False
USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TEMPLATES: list[dict[str, Any]] = []


def _database(variable: str, file: str) -> dict[str, Any]:
    """A database by URL; SQLite gets a write-ahead log, immediate transactions and
    patience, PostgreSQL a pool and JSON that stays as it was written.
    """
    config: dict[str, Any] = env.db_url(variable, default=f"sqlite:///{quote(str(DATA_DIR / file))}")
    if config["ENGINE"].endswith("sqlite3"):
        # Tests get files too, so that threads and processes of a test share them.
        config["TEST"] = {"NAME": str(Path(tempfile.gettempdir()) / f"weir-test-{os.getpid()}-{file}")}
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-8000;",
        }
    else:
        config["ENGINE"] = "weir.project.postgresql"
        config["CONN_MAX_AGE"] = 0  # back to the pool after each request, task or turn of a loop
        given = config.get("OPTIONS", {})  # of the address, such as `sslmode`
        config["OPTIONS"] = {
            # A server whose packets are lost is given up after the time that a statement may take: nothing
            # else ends a wait for it.
            "tcp_user_timeout": 30_000,  # ms
            "keepalives_idle": 5,  # s
            "keepalives_interval": 5,  # s
            "keepalives_count": 3,
            **given,
            # While the server is away a request fails after `timeout`, and nothing tries again in ever longer
            # intervals: the next request does.
            "pool": {
                "min_size": 0,
                "max_size": env.int("WEIR_DATABASE_CONNECTIONS", default=8),  # of each process and database
                "timeout": 5,
                "reconnect_timeout": 0.5,
            },
            "connect_timeout": given.get("connect_timeout", 3),
            "options": f"-c statement_timeout=30000 -c lock_timeout=10000 {given.get('options', '')}".strip(),
        }
    return config


DATABASES = {
    "default": _database("DATABASE_URL", "weir.sqlite3"),
    "results": _database("RESULTS_DATABASE_URL", "results.sqlite3"),
}
DATABASE_ROUTERS = ["weir.project.db_router.ResultsRouter"]

# Of each process by itself: short answers that another process may ask for again (what a topic carries, which
# cluster is down). What must be found by all of them is in the database. Django's default of 300 entries
# would forget sooner than it is asked again. What must be counted by all of them together is in the shared
# one; it may be away (`weir.workspaces.api.throttling`).
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "OPTIONS": {"MAX_ENTRIES": 20_000},
    },
    "shared": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "weir",
        "OPTIONS": {"socket_connect_timeout": 0.5, "socket_timeout": 0.5},
    },
}
CHANNEL_LAYERS: dict[
    str, Any
] = {}  # none: the live hub follows Kafka, and a refused WebSocket must not need Valkey

# People
AUTH_USER_MODEL = "workspaces.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AXES_HANDLER = "weir.workspaces.services.lockout.LockoutHandler"
AXES_LOCKOUT_PARAMETERS = [
    ["username", "ip_address"],
    "username",
    "ip_address",
]  # the order of `lockout._SHARES`
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = WRONG_PASSWORDS_TTL
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "weir.workspaces.api.client_address.client_address"
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
AXES_ENABLE_ADMIN = False
SILENCED_SYSTEM_CHECKS = [
    "axes.W002"
]  # its middleware would answer in its own form; the session's view answers as a problem
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = BEHIND_TLS
SESSION_COOKIE_NAME = "weir_session"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SECURE = BEHIND_TLS
CSRF_FAILURE_VIEW = "weir.project.problem_details.csrf_failure"
KNOX_TOKEN_MODEL = "workspaces.ApiToken"
REST_KNOX = {"TOKEN_PREFIX": "weir_", "TOKEN_TTL": None}

# Notifications (`weir.alerts`). EMAIL_URL is smtp://, smtp+tls:// or smtp+ssl://user:password@host:port.
EMAIL = env.email_url("EMAIL_URL", default="smtp://")
EMAIL_HOST = EMAIL["EMAIL_HOST"] or ""  # empty: this installation sends no e-mail
EMAIL_PORT = EMAIL["EMAIL_PORT"] or 25
EMAIL_HOST_USER = EMAIL["EMAIL_HOST_USER"] or ""
EMAIL_HOST_PASSWORD = EMAIL["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS = EMAIL.get("EMAIL_USE_TLS", False)
EMAIL_USE_SSL = EMAIL.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("WEIR_EMAIL_FROM", default="weir@localhost")
PUBLIC_URL = env.str("WEIR_PUBLIC_URL", default=f"http://localhost:{WEB_PORT}").rstrip("/")  # in links
PRIVATE_WEBHOOKS = switch(
    env, "WEIR_PRIVATE_WEBHOOKS", default=False
)  # notifications may go to loopback and private addresses, and over http
PAGERDUTY_URL = env.str("WEIR_PAGERDUTY_URL", default="https://events.pagerduty.com/v2/enqueue")

# Browsers
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS else None
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000

# The built frontend is served from where vite leaves it; nothing is collected.
FRONTEND_DIST = BASE_DIR / "frontend" / "dist"
STATIC_URL = "/static/"
STATICFILES_DIRS = [FRONTEND_DIST] if FRONTEND_DIST.is_dir() else []
WHITENOISE_USE_FINDERS = True

EXAMPLES_DIR = BASE_DIR / "examples"
# What starts and stops the programs that feed examples; without it (the embedded system has it)
# people start them by hand.
EXAMPLE_FEEDER = "weir.embedded.example_feeder.feed_example" if "WEIR_EMBEDDED" in os.environ else ""

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "weir.workspaces.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "URL_FORMAT_OVERRIDE": None,  # ``?format=`` belongs to the views
    "DEFAULT_PARSER_CLASSES": ["weir.workspaces.api.parsing.BoundedJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "weir.project.openapi.AreaSchema",
    "DEFAULT_THROTTLE_CLASSES": ["weir.workspaces.api.throttling.SharedThrottle"],
    "EXCEPTION_HANDLER": "weir.project.problem_details.problem_details",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
# Requests in a minute, by scope: sign-ins and links by address, the others by person.
RATES_PER_MINUTE = {
    "sign-in": 20,
    "sign-in-link": 120,
    "token": 20,
    "ticket": 240,
    "invitation": 30,
    "cluster-test": 10,
    "stream": 240,
    "channel-test": 10,
    "share-link": 120,  # by address: opening links and their tickets, right or wrong
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Weir",
    "DESCRIPTION": "Managed stream analytics on Kafka and Spark. Errors are RFC 9457 problem details.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "TAGS": TAGS,
    "ENUM_NAME_OVERRIDES": {
        "EventTimeKind": ["kafka_timestamp", "field", "change", "corrected"],
        "RelationKind": ["append", "upsert"],
        "StreamKind": ["stream", "table"],
        "Right": "weir.workspaces.roles.Right",
        "EngineKind": "weir.runs.models.Engine.Kind",
        "DocumentView": "weir.runs.models.Job.View",
        "EngineState": "weir.runs.models.Engine.State",
        "RunMode": ["realtime", "microbatch"],
        "ProblemSeverity": ["error", "warning"],
        "IdentityKind": ["row", "key"],
        "RowIdentityKind": ["row", "key", "pair", "union"],
        "Role": "weir.workspaces.models.Role",
        "EventAction": "weir.workspaces.models.Action",
        "EventKind": "weir.workspaces.models.Event.Kind",
        "DeadLetterState": "weir.dead_letters.models.DeadLetter.State",
        "AlertSeverity": "weir.alerts.models.Severity",
        "AlertState": "weir.alerts.models.Alert.State",
        "AlertChannelKind": "weir.alerts.models.Channel.Kind",
        "AlertChange": "weir.alerts.models.Notification.Change",
        "NotificationState": "weir.alerts.models.Notification.State",
        "LineageEventState": "weir.openlineage.models.LineageEvent.State",
        "LineageEventType": "weir.openlineage.models.LineageEvent.Type",
        "ObjectiveKind": "weir.alerts.models.Objective.Kind",
        "RedriveState": "weir.dead_letters.models.Redrive.State",
        "GroupHealth": "weir.consumer_groups.api.serializers.KINDS",
        "GroupCause": "weir.consumer_groups.api.serializers.CAUSES",
        "LagSecondsBy": "weir.consumer_groups.api.serializers.SECONDS_BY",
        "MoveTarget": "weir.consumer_groups.services.offset_moves.TARGETS",
    },
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
}

CELERY_BROKER_URL = REDIS_URL
