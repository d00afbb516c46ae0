import { Button, SegmentedControl, TextInput } from "@mantine/core";
import { useDeferredValue, useMemo, useRef } from "react";
import { Link } from "wouter";
import { useStatesOnMap } from "../../api/live-jobs";
import type { WorkspaceMap } from "../../api/types";
import { useMap } from "../../api/workspaces";
import { counted } from "../../ui/format/numbers";
import { Page, Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { QueryResult } from "../../ui/query-result";
import { useUrlState } from "../../ui/url-state";
import { MapDrawing } from "./map-drawing";
import { matching, placesOf } from "./map-graph";
import { MapList } from "./map-list";
import classes from "./map.module.css";

/** What flows where in the workspace: topics, streams, tables and jobs. */
export default function MapPage() {
  const query = useMap();
  return (
    <Page title="Map">
      <QueryResult query={query} what="map">
        {(map) => (map.nodes.length ? <Shown map={map} updatedAt={query.dataUpdatedAt} /> : <Nothing />)}
      </QueryResult>
    </Page>
  );
}

function Nothing() {
  return (
    <Panel>
      <Empty
        title="Nothing to draw yet"
        action={
          <Button component={Link} href="/streams">
            Streams
          </Button>
        }
      >
        The map shows streams, tables and jobs, and what flows between them. Register a stream first.
      </Empty>
    </Panel>
  );
}

function Shown({ map, updatedAt }: { map: WorkspaceMap; updatedAt: number }) {
  const [words, setWords] = useUrlState("find", "");
  const [view, setView] = useUrlState("view", "drawing");
  // States come often: panning goes first.
  const states = useDeferredValue(useStatesOnMap(updatedAt));
  const places = useMemo(() => placesOf(map.nodes, states), [map.nodes, states]);
  const found = useMemo(() => (words.trim() ? matching(places, words) : null), [places, words]);
  const goTo = useRef<() => void>(null); // null while the list is shown
  const jobs = places.filter(({ kind }) => kind === "job").length;
  const streams = counted(places.length - jobs, "stream or table", "streams and tables");
  return (
    <>
      <div className={classes["bar"]}>
        <TextInput
          aria-label="Find on the map"
          placeholder="Name, topic or status"
          value={words}
          onChange={(event) => {
            setWords(event.currentTarget.value || null);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter") goTo.current?.();
          }}
        />
        <SegmentedControl
          aria-label="View"
          size="xs"
          data={[
            { value: "drawing", label: "Drawing" },
            { value: "list", label: "List" },
          ]}
          value={view}
          onChange={setView}
        />
        <span className="soft" role="status">
          {found ? `${counted(found.size, "place")} found` : `${counted(jobs, "job")}, ${streams}`}
          {map.jobs_left_out && "; the newest jobs are left out"}
        </span>
      </div>
      {view === "list" ? (
        <MapList places={places} edges={map.edges} found={found} />
      ) : (
        <MapDrawing map={map} places={places} found={found} goTo={goTo} />
      )}
    </>
  );
}
