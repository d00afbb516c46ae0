import { Button, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import type { Member, Role } from "../../api/types";
import { useMay, useWorkspace } from "../../api/workspace-context";
import {
  useChangeRole,
  useInvitations,
  useInvite,
  useMembers,
  useRemoveMember,
  useWithdrawInvitation,
} from "../../api/workspaces";
import { Confirm } from "../../ui/confirm";
import { QueryResult } from "../../ui/query-result";
import { Panel } from "../../ui/page";
import { Badge } from "../../ui/status";
import { Table } from "../../ui/table";
import { Time } from "../../ui/time";
import { RequestError } from "../../ui/request-error";
import { Term } from "../../ui/term";
import classes from "./admin.module.css";

const ROLES: readonly { value: Role; label: string }[] = [
  { value: "viewer", label: "Viewer: read-only" },
  { value: "editor", label: "Editor: plus jobs and streams" },
  { value: "owner", label: "Owner: plus members and clusters" },
];

const NAMES = ROLES.map(({ value }) => value);

export function MembersTab() {
  const members = useMembers();
  const change = useChangeRole();
  const owner = useMay("manage_members");
  const [leaving, setLeaving] = useState<Member | null>(null);
  return (
    <>
      {owner && <Invite />}
      <RequestError what="Couldn't change the role" error={change.error} />
      <Panel flush>
        <QueryResult query={members} what="members">
          {({ results }) => (
            <Table
              label="Members"
              rows={results}
              rowKey={({ id }) => id}
              columns={[
                {
                  name: "User",
                  cell: ({ user: { username, display_name } }) => (
                    <>
                      <strong>{display_name || username}</strong>{" "}
                      {display_name && display_name !== username && <span className="soft">{username}</span>}
                    </>
                  ),
                },
                {
                  name: "Role",
                  cell: ({ id, role, user }) =>
                    owner ? (
                      <Select
                        aria-label={`Role of ${user.username}`}
                        allowDeselect={false}
                        data={NAMES}
                        value={role}
                        disabled={change.isPending}
                        onChange={(value) => {
                          change.mutate({ id, role: roleOf(value) });
                        }}
                        w={120}
                      />
                    ) : (
                      role
                    ),
                },
                {
                  name: "Actions",
                  unnamed: true,
                  cell: (member) =>
                    owner && (
                      <Button
                        data-removes
                        variant="subtle"
                        color="gray"
                        onClick={() => {
                          setLeaving(member);
                        }}
                      >
                        Remove
                      </Button>
                    ),
                  numeric: true,
                },
              ]}
            />
          )}
        </QueryResult>
      </Panel>
      {owner && <OpenInvitations />}
      <Removal
        member={leaving}
        onClose={() => {
          setLeaving(null);
        }}
      />
    </>
  );
}

function OpenInvitations() {
  const invitations = useInvitations();
  const withdraw = useWithdrawInvitation();
  const open = invitations.data?.results ?? [];
  if (!open.length) return <RequestError what="Couldn't load open invitations" error={invitations.error} />;
  return (
    <Panel title="Open invitations" flush>
      <RequestError what="Couldn't withdraw the invitation" error={withdraw.error} />
      <Table
        label="Open invitations"
        rows={open}
        rowKey={({ id }) => id}
        columns={[
          { name: "User name", cell: ({ username }) => <strong>{username}</strong> },
          { name: "Role", cell: ({ role }) => role },
          {
            name: "Invited",
            cell: ({ created_at, invited_by }) => (
              <>
                <Time at={created_at} /> by {invited_by}
              </>
            ),
          },
          {
            name: "Actions",
            unnamed: true,
            numeric: true,
            cell: ({ id }) => (
              <Button
                data-removes
                variant="subtle"
                color="gray"
                loading={withdraw.isPending && withdraw.variables === id}
                onClick={() => {
                  withdraw.mutate(id);
                }}
              >
                Withdraw
              </Button>
            ),
          },
        ]}
      />
    </Panel>
  );
}

function Removal({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const remove = useRemoveMember();
  return (
    <Confirm
      opened={member !== null}
      onClose={onClose}
      title={`Remove ${member?.user.username ?? ""}?`}
      verb="Remove"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => {
        if (member) remove.mutate(member.id, { onSuccess: onClose });
      }}
    >
      <p>They lose access immediately, including open tabs. Their jobs and streams are kept.</p>
    </Confirm>
  );
}

function Invite() {
  const { name } = useWorkspace();
  const invite = useInvite();
  const [username, setUsername] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate(
      { username, role },
      {
        onSuccess: () => {
          setUsername((now) => (now === username ? "" : now));
        },
      },
    );
  };
  return (
    <Panel title={`Invite member to ${name}`}>
      <form className={classes["row"]} onSubmit={submit}>
        <TextInput
          label="User name"
          required
          maxLength={150}
          value={username}
          onChange={(e) => {
            setUsername(e.currentTarget.value);
          }}
        />
        <Select
          label={<Term>Role</Term>}
          allowDeselect={false}
          data={[...ROLES]}
          value={role}
          onChange={(value) => {
            setRole(roleOf(value));
          }}
          w={280}
        />
        <Button type="submit" loading={invite.isPending}>
          Invite
        </Button>
      </form>
      <p className="soft">
        They see the invitation after signing in with this user name, and join by accepting it.
      </p>
      {invite.data && !invite.error && (
        <p role="status">
          <Badge tone="good" plain>
            Invited
          </Badge>{" "}
          {invite.data.username} as {invite.data.role}.
        </p>
      )}
      <RequestError what="Couldn't invite" error={invite.error} />
    </Panel>
  );
}

function roleOf(value: string | null): Role {
  return ROLES.find((one) => one.value === value)?.value ?? "viewer";
}
