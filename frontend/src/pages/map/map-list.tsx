import { Link } from "wouter";
import type { MapEdge } from "../../api/types";
import { seconds } from "../../ui/format/durations";
import { count, rate } from "../../ui/format/numbers";
import { Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { Badge } from "../../ui/status";
import { Table, type Column } from "../../ui/table";
import type { Place } from "./map-graph";
import { edgeId } from "./map-layout";
import classes from "./map.module.css";

interface MapListProps {
  places: readonly Place[];
  edges: readonly MapEdge[];
  /** what the search found; null: nothing is searched */
  found: ReadonlySet<string> | null;
}

/** What flows where as a table: each row is an edge of the map. */
export function MapList({ places, edges, found }: MapListProps) {
  const byId = new Map(places.map((place) => [place.id, place]));
  const shown = edges.filter(({ from, to }) => !found || found.has(from) || found.has(to));
  const joined = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const alone = places.filter(({ id }) => !joined.has(id) && (!found || found.has(id)));
  const columns: readonly Column<MapEdge>[] = [
    { name: "From", cell: ({ from }) => <PlaceLink place={byId.get(from)} /> },
    { name: "To", cell: ({ to }) => <PlaceLink place={byId.get(to)} /> },
    { name: "Rate", numeric: true, cell: (edge) => rate(edge.rows_per_second) },
    {
      name: "Lag",
      numeric: true,
      cell: (edge) => (edge.to.startsWith("job:") ? seconds(edge.lag_seconds) : ""),
    },
    {
      name: "Records behind",
      numeric: true,
      wideOnly: true,
      cell: (edge) => (edge.to.startsWith("job:") ? count(edge.lag_records) : ""),
    },
  ];
  return (
    <>
      <Panel title="Flows" flush>
        {shown.length ? (
          <Table label="Flows" columns={columns} rows={shown} rowKey={edgeId} />
        ) : (
          <Empty title="Nothing flows here">No job reads or writes what was searched.</Empty>
        )}
      </Panel>
      {alone.length > 0 && (
        <Panel title="Not connected" flush>
          <Table
            label="Not connected"
            columns={[
              { name: "Name", cell: (place: Place) => <PlaceLink place={place} /> },
              { name: "Where", wideOnly: true, cell: ({ lines }: Place) => lines[0] ?? "" },
            ]}
            rows={alone}
            rowKey={({ id }) => id}
          />
        </Panel>
      )}
    </>
  );
}

function PlaceLink({ place }: { place: Place | undefined }) {
  if (!place) return null;
  return (
    <>
      <span className="soft">{place.title} </span>
      {place.href === null ? (
        place.name
      ) : (
        <Link href={place.href} className={classes["link"]}>
          {place.name}
        </Link>
      )}{" "}
      {place.state && (
        <Badge tone={place.state.tone} plain>
          {place.state.word}
        </Badge>
      )}
    </>
  );
}
