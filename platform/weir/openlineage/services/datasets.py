"""The datasets of a job: the topics that it reads and writes, their fields, and where columns come from."""

from collections.abc import Mapping
from typing import Final

from openlineage.client.event_v2 import InputDataset, OutputDataset
from openlineage.client.facet_v2 import DatasetFacet, column_lineage_dataset, schema_dataset

from jobs.base.schemas import Schema
from jobs.broker_addresses import endpoints_of
from jobs.column_origins import Origins, output_origins
from jobs.plan import Plan
from weir.clusters.services.clusters import home_cluster
from weir.openlineage.models import LineageEvent
from weir.runs.models import JobVersion, Run
from weir.runs.services.planning import plan_in, streams_of, written_topics

MAX_SOURCE_FIELDS: Final = 50_000
"""Source fields that an event may name, each as often as a column comes from it: about 10 MB of JSON. The
lineage of the columns of an output that would name more is left out.
"""

Address = tuple[str, str]  # namespace and name of a dataset
_FIELD: Final = column_lineage_dataset.InputField
_HOW: Final = column_lineage_dataset.Transformation


def datasets_of(event: LineageEvent, version: JobVersion) -> tuple[list[InputDataset], list[OutputDataset]]:
    """Inputs and outputs of a version of a job, each topic once; both empty where its document can't be
    planned any more, as when a stream was deleted.
    """
    workspace = version.job.workspace
    plan = plan_in(workspace, version.document)
    if not plan.ok or plan.document is None:
        return [], []
    sources = {
        name: (namespace_of(stream.cluster.bootstrap), stream.topic)
        for name, stream in streams_of(workspace, plan).items()
    }
    return _inputs(plan, sources), _outputs(
        plan, sources, _written(event, plan, written_topics(workspace, plan.document))
    )


def namespace_of(bootstrap: str) -> str:
    """The namespace of a cluster's topics: its first server, by OpenLineage's convention."""
    host, port = endpoints_of(bootstrap)[0]
    return f"kafka://[{host}]:{port}" if ":" in host else f"kafka://{host}:{port}"


def _inputs(plan: Plan, sources: Mapping[str, Address]) -> list[InputDataset]:
    found = {
        address: InputDataset(*address, facets={"schema": _schema(plan.node(name).output.schema)})
        for name, address in sources.items()
        if name in plan.live
    }
    return list(found.values())


def _written(event: LineageEvent, plan: Plan, topics: Mapping[str, str]) -> dict[str, Address]:
    """Where each output goes: the named topics, and the run's own for its results."""
    home = namespace_of(home_cluster().bootstrap)
    run = Run.objects.select_related("generation").filter(pk=event.run_id).first()
    result = run.generation.result_topic if run is not None else None
    own = {
        sink.name: result for sink in plan.sinks if result and sink.topic is None and sink.exchange is None
    }
    return {name: (home, topic) for name, topic in {**topics, **own}.items()}


def _outputs(
    plan: Plan, sources: Mapping[str, Address], written: Mapping[str, Address]
) -> list[OutputDataset]:
    origins = output_origins(plan)
    found: dict[Address, OutputDataset] = {}
    left = MAX_SOURCE_FIELDS
    for sink in plan.sinks:
        if sink.name in written and written[sink.name] not in found:
            facets: dict[str, DatasetFacet] = {"schema": _schema(plan.relation(sink.reference).schema)}
            named = _named(origins[sink.name])
            if named <= left:
                facets["columnLineage"] = _lineage(origins[sink.name], sources)
                left -= named
            found[written[sink.name]] = OutputDataset(*written[sink.name], facets=facets)
    return list(found.values())


def _schema(schema: Schema) -> schema_dataset.SchemaDatasetFacet:
    return schema_dataset.SchemaDatasetFacet(
        fields=[
            schema_dataset.SchemaDatasetFacetFields(name=field["name"], type=field["type"])
            for field in schema.as_json()
        ]
    )


def _named(origins: Origins) -> int:
    return len(origins.rows) + sum(map(len, origins.columns.values()))


def _lineage(
    origins: Origins, sources: Mapping[str, Address]
) -> column_lineage_dataset.ColumnLineageDatasetFacet:
    fields = {
        column: column_lineage_dataset.Fields(
            inputFields=[
                _field(source, sources, [_HOW(type="DIRECT", subtype=how)])
                for source, how in sorted(made_of.items())
            ]
        )
        for column, made_of in origins.columns.items()
        if made_of
    }
    deciding = [
        _field(source, sources, [_HOW(type="INDIRECT", subtype=how) for how in sorted(kinds)])
        for source, kinds in sorted(origins.rows.items())
    ]
    return column_lineage_dataset.ColumnLineageDatasetFacet(fields=fields, dataset=deciding)


def _field(
    source: str, sources: Mapping[str, Address], how: list[column_lineage_dataset.Transformation]
) -> column_lineage_dataset.InputField:
    name, _, field = source.partition(".")
    namespace, topic = sources[name]
    return _FIELD(namespace=namespace, name=topic, field=field, transformations=how)
