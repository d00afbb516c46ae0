import { Modal, TextInput } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { useGroups } from "../../api/consumer-groups";
import { useDashboards } from "../../api/dashboards";
import { useJobs } from "../../api/jobs";
import { useStreams } from "../../api/streams";
import { useWorkspace } from "../../api/workspace-context";
import { Icon } from "../icons";
import { useReturnedFocus } from "../open-dialog";
import { searchHits, type Hit } from "./search-hits";
import classes from "./shell.module.css";

/** What can be opened, by name and words. `/` or Ctrl-K opens it, arrows choose, Enter goes there. */
export function Search({ onClose }: { onClose: () => void }) {
  useReturnedFocus(true);
  return (
    <Modal.Root opened onClose={onClose} yOffset="12vh" centered={false} size="md">
      <Modal.Overlay />
      <Modal.Content aria-label="Search">
        <Modal.Body p="xs">
          <SearchBox onClose={onClose} />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

function SearchBox({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [, navigate] = useLocation();
  const jobs = useJobs().data?.results ?? [];
  const streams = useStreams().data?.results ?? [];
  const groups = useGroups().data?.results ?? [];
  const dashboards = useDashboards().data?.results ?? [];
  const { rights } = useWorkspace();
  const hits = searchHits({ jobs, streams, groups, dashboards, rights }, text, 30);
  const chosen = Math.min(at, hits.length - 1);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const go = (hit: Hit | undefined) => {
    if (!hit) return;
    onClose();
    navigate(hit.href);
  };
  return (
    <>
      <TextInput
        size="md"
        data-autofocus
        placeholder="Search jobs, streams, dashboards, consumer groups, fields and pages"
        aria-label="Search jobs, streams, dashboards, consumer groups, fields and pages"
        role="combobox"
        aria-expanded
        aria-controls="hits"
        aria-activedescendant={hits[chosen] ? `hit-${String(chosen)}` : undefined}
        leftSection={<Icon name="search" />}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setAt(Math.min(chosen + 1, hits.length - 1));
          else if (event.key === "ArrowUp") setAt(Math.max(chosen - 1, 0));
          else if (event.key === "Enter") go(hits[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      {hits.length === 0 && (
        <p className={classes["note"]}>
          Nothing matches “{text.trim()}” among jobs, streams, dashboards, consumer groups, fields and pages.
        </p>
      )}
      <ul ref={list} id="hits" role="listbox" aria-label="Results" className={classes["hits"]}>
        {hits.map((hit, index) => (
          <li
            key={`${hit.href} ${hit.name}`}
            id={`hit-${String(index)}`}
            role="option"
            aria-selected={index === chosen}
            className={classes["hit"]}
            onMouseMove={({ movementX, movementY }) => {
              // A list that scrolls under the pointer chooses nothing.
              if (movementX || movementY) setAt(index);
            }}
            onClick={() => {
              go(hit);
            }}
          >
            <Icon name={hit.icon} /> <span>{hit.name}</span> <span>{hit.kind}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
