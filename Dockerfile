# One image for web, worker, beat, relay and the engine host: the role is the command.
FROM node:20-bookworm-slim AS frontend
WORKDIR /weir/frontend
COPY frontend/package.json frontend/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY frontend ./
COPY docs/openapi.yaml ../docs/openapi.yaml
# Without the check of types: tests, which it reads too, import files of other folders.
RUN npx --no-install vite build

FROM python:3.11-slim-bookworm
RUN apt-get update && apt-get install -y --no-install-recommends openjdk-17-jdk-headless procps && rm -rf /var/lib/apt/lists/*
WORKDIR /weir
COPY requirements.txt constraints.txt ./
# In .venv, where the set-up of jars and classes looks for PySpark on every machine.
RUN python -m venv .venv && .venv/bin/pip install --no-cache-dir -r requirements.txt -c constraints.txt
ENV PATH=/weir/.venv/bin:$PATH PYTHONPATH=/weir/platform:/weir PYTHONUNBUFFERED=1
COPY manage.py ./
COPY jvm jvm
COPY jobs jobs
COPY platform platform
COPY examples examples
# Roles run as a user who can't write here, so each start would compile all modules again.
RUN python -m compileall -q jobs platform examples
RUN python -c "from weir.embedded.install import java_packages; java_packages()"
COPY --from=frontend /weir/frontend/dist frontend/dist
RUN useradd --create-home weir && mkdir -p /data && chown weir /data
USER weir
ENV WEIR_DATA_DIR=/data
CMD ["gunicorn", "-c", "python:weir.project.web_server", "--bind", "0.0.0.0:8400", "--graceful-timeout", "11"]
