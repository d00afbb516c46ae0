import { Button, Code, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useCreateToken, useDeleteToken, useTokens } from "../../api/session";
import type { Token } from "../../api/types";
import { Confirm } from "../../ui/confirm";
import { QueryResult } from "../../ui/query-result";
import { Panel } from "../../ui/page";
import { Empty } from "../../ui/placeholders";
import { Table } from "../../ui/table";
import { dayText } from "../../ui/format/times";
import { Time, useNow } from "../../ui/time";
import { CopyButton } from "../../ui/copy-button";
import { RequestError } from "../../ui/request-error";
import classes from "./admin.module.css";

/** The user's own API tokens. A token is shown once. */
export function TokensTab() {
  const tokens = useTokens();
  const [revoking, setRevoking] = useState<Token | null>(null);
  return (
    <>
      <NewToken />
      <Panel flush>
        <QueryResult query={tokens} what="tokens">
          {({ results }) =>
            results.length ? (
              <Table
                label="Your tokens"
                rows={results}
                rowKey={({ id }) => id}
                columns={[
                  { name: "Name", cell: ({ name }) => <strong>{name}</strong> },
                  { name: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
                  {
                    name: "Expires",
                    cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : "Never"),
                  },
                  {
                    name: "Actions",
                    unnamed: true,
                    numeric: true,
                    cell: (token) => (
                      <Button
                        data-removes
                        variant="subtle"
                        color="gray"
                        onClick={() => {
                          setRevoking(token);
                        }}
                      >
                        Revoke
                      </Button>
                    ),
                  },
                ]}
              />
            ) : (
              <Empty title="No tokens yet">API tokens let programs act as you in all your workspaces.</Empty>
            )
          }
        </QueryResult>
      </Panel>
      <Revocation
        token={revoking}
        onClose={() => {
          setRevoking(null);
        }}
      />
    </>
  );
}

function Revocation({ token, onClose }: { token: Token | null; onClose: () => void }) {
  const remove = useDeleteToken();
  return (
    <Confirm
      opened={token !== null}
      onClose={onClose}
      title={`Revoke token ${token?.name ?? ""}?`}
      verb="Revoke token"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        if (token) remove.mutate(token.id, { onSuccess: onClose });
      }}
    >
      <p>
        Programs that use it lose access immediately. Your jobs and streams aren't affected. This can't be
        undone.
      </p>
    </Confirm>
  );
}

const LIVES = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "", label: "Never" },
];
const DAY_MS = 86_400_000;

/** The day on which a token of so many days ends; none for one that does not. */
export function lastDay(days: string, now: number): Date | null {
  return days === "" ? null : new Date(now + Number(days) * DAY_MS);
}

function NewToken() {
  const create = useCreateToken();
  const [name, setName] = useState("");
  const [days, setDays] = useState("90");
  const ends = lastDay(days, useNow());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(
      { name, days: days === "" ? null : Number(days) },
      {
        onSuccess: () => {
          setName((now) => (now === name ? "" : now));
        },
      },
    );
  };
  return (
    <Panel title="New token">
      <form className={classes["row"]} onSubmit={submit}>
        <TextInput
          label="Token name"
          required
          value={name}
          onChange={(e) => {
            setName(e.currentTarget.value);
          }}
          w={280}
        />
        <Select
          label="Expires"
          allowDeselect={false}
          data={LIVES}
          value={days}
          onChange={(value) => {
            setDays(value ?? "90");
          }}
          w={140}
          inputWrapperOrder={["label", "input", "description"]}
          description={ends ? `On ${dayText(ends)}` : "Only when revoked"}
        />
        <Button type="submit" loading={create.isPending}>
          Create token
        </Button>
      </form>
      <RequestError what="Couldn't create the token" error={create.error} />
      {create.data?.token && (
        <div className={classes["token"]} role="status">
          <p>Copy the token now. It can't be shown again.</p>
          <div className={classes["row"]}>
            <Code className={classes["secret"] ?? ""}>{create.data.token}</Code>
            <CopyButton text={create.data.token} />
          </div>
        </div>
      )}
    </Panel>
  );
}
