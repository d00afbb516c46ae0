import { Button, Drawer, Select, TextInput } from "@mantine/core";
import { useState, type Dispatch, type FormEvent, type SetStateAction } from "react";
import { useCreateShareLink, useRevokeShareLink, useShareLinks } from "../../api/dashboards";
import type { Dashboard, ShareLink } from "../../api/types";
import { Confirm } from "../../ui/confirm";
import { CopyButton } from "../../ui/copy-button";
import { heldOpen } from "../../ui/open-dialog";
import { Empty } from "../../ui/placeholders";
import { QueryResult } from "../../ui/query-result";
import { RequestError } from "../../ui/request-error";
import { Badge } from "../../ui/status";
import { Table } from "../../ui/table";
import { Time } from "../../ui/time";
import classes from "./dashboard.module.css";

const DAYS = [
  { value: "1", label: "1 day" },
  { value: "7", label: "7 days" },
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
];

interface LinkDraft {
  note: string;
  days: string;
}

const FIRST: LinkDraft = { note: "", days: "7" };

interface ShareDrawerProps {
  dashboard: Dashboard;
  opened: boolean;
  onClose: () => void;
}

/** Read-only links to the dashboard: create, list, revoke. */
export function ShareDrawer({ dashboard, opened, onClose }: ShareDrawerProps) {
  const create = useCreateShareLink(dashboard.id);
  const [draft, setDraft] = useState(FIRST);
  const leave = () => {
    create.reset();
    onClose();
  };
  // An address is shown once: a stray click must not lose it.
  const held = heldOpen(create.isPending || create.data !== undefined);
  return (
    <Drawer
      opened={opened}
      onClose={leave}
      {...held}
      position="right"
      size={560}
      title={<strong>Share {dashboard.name}</strong>}
    >
      <div className={classes["links"]}>
        <p>
          Anyone with a link can view this dashboard without signing in, until the link expires or is revoked.
          It gives access to <strong>whole rows</strong> of the results its panels show, including fields that
          no panel displays.
        </p>
        <NewLink create={create} draft={draft} setDraft={setDraft} />
        {create.data && <Created token={create.data.token} onClose={leave} />}
        <Links dashboard={dashboard} />
      </div>
    </Drawer>
  );
}

interface NewLinkProps {
  create: ReturnType<typeof useCreateShareLink>;
  draft: LinkDraft;
  setDraft: Dispatch<SetStateAction<LinkDraft>>;
}

function NewLink({ create, draft, setDraft }: NewLinkProps) {
  const { note, days } = draft;
  const change = (part: Partial<LinkDraft>) => {
    setDraft((before) => ({ ...before, ...part }));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { note, days: Number(days) },
      {
        onSuccess: () => {
          setDraft((now) => (now.note === note ? { ...now, note: "" } : now));
        },
      },
    );
  };
  return (
    <div>
      <form className={classes["form"]} onSubmit={submit}>
        <TextInput
          label="Note"
          placeholder="e.g. lobby screen"
          value={note}
          maxLength={100}
          onChange={(event) => {
            change({ note: event.currentTarget.value });
          }}
        />
        <Select
          label="Expires in"
          data={DAYS}
          value={days}
          allowDeselect={false}
          w={110}
          onChange={(value) => {
            change({ days: value ?? FIRST.days });
          }}
        />
        <Button type="submit" loading={create.isPending} disabled={create.data !== undefined}>
          Create link
        </Button>
      </form>
      <RequestError what="Couldn't create the link" error={create.error} />
    </div>
  );
}

function Created({ token, onClose }: { token: string; onClose: () => void }) {
  // Behind the #: browsers keep that part to themselves, so it is in no log of a server or proxy.
  const address = `${window.location.origin}/shared#${token}`;
  return (
    <div role="status">
      <p>Copy the link now. It can&apos;t be shown again.</p>
      <code className={classes["address"]}>{address}</code>
      <div className={classes["form"]}>
        <CopyButton text={address} />
        <Button onClick={onClose}>Done</Button>
      </div>
    </div>
  );
}

function Links({ dashboard }: { dashboard: Dashboard }) {
  const links = useShareLinks(dashboard.id);
  const [revoking, setRevoking] = useState<ShareLink | null>(null);
  return (
    <>
      <QueryResult query={links} what="links">
        {({ results }) =>
          results.length ? (
            <Table
              label="Links"
              rows={results}
              rowKey={({ id }) => id}
              columns={[
                { name: "Note", cell: ({ note, created_by }) => note || `by ${created_by}` },
                { name: "State", cell: stateOf },
                {
                  name: "Last used",
                  wideOnly: true,
                  cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : "Never"),
                },
                {
                  name: "Actions",
                  unnamed: true,
                  numeric: true,
                  cell: (link) =>
                    link.live && (
                      <Button
                        data-removes
                        variant="subtle"
                        color="gray"
                        onClick={() => {
                          setRevoking(link);
                        }}
                      >
                        Revoke
                      </Button>
                    ),
                },
              ]}
            />
          ) : (
            <Empty title="No links yet">A link shows this dashboard to people without an account.</Empty>
          )
        }
      </QueryResult>
      <Revocation
        dashboard={dashboard}
        link={revoking}
        onClose={() => {
          setRevoking(null);
        }}
      />
    </>
  );
}

function stateOf({ live, revoked_at, expires_at }: ShareLink) {
  if (live)
    return (
      <>
        Expires <Time at={expires_at} />
      </>
    );
  return (
    <Badge tone="idle" plain>
      {revoked_at ? "Revoked" : "Expired"}
    </Badge>
  );
}

interface RevocationProps {
  dashboard: Dashboard;
  link: ShareLink | null;
  onClose: () => void;
}

function Revocation({ dashboard, link, onClose }: RevocationProps) {
  const revoke = useRevokeShareLink(dashboard.id);
  return (
    <Confirm
      opened={link !== null}
      onClose={onClose}
      title={`Revoke link${link?.note ? ` ${link.note}` : ""}?`}
      verb="Revoke link"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => {
        if (link) revoke.mutate(link.id, { onSuccess: onClose });
      }}
    >
      <p>
        Pages opened with it stop within seconds. The dashboard and other links aren&apos;t affected. This
        can&apos;t be undone.
      </p>
    </Confirm>
  );
}
