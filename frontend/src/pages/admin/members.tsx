import { Button, Select, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { ApiError } from "../../api/client";
import type { Member, Role } from "../../api/types";
import { useMay, useWorkspace } from "../../api/workspace";
import { useAddMember, useMembers, useRemoveMember } from "../../api/workspaces";
import { Confirm } from "../../ui/confirm";
import { Loaded } from "../../ui/loaded";
import { Panel } from "../../ui/page";
import { Mark } from "../../ui/status";
import { Table } from "../../ui/table";
import classes from "./admin.module.css";

const ROLES: readonly { value: Role; label: string }[] = [
  { value: "viewer", label: "Viewer: sees everything" },
  { value: "editor", label: "Editor: also changes jobs and streams" },
  { value: "owner", label: "Owner: also members" },
];

export function MembersTab() {
  const members = useMembers();
  const owner = useMay("owner");
  const [leaving, setLeaving] = useState<Member | null>(null);
  return (
    <>
      {owner && <AddMember />}
      <Panel flush>
        <Loaded query={members} what="the members">
          {({ results }) => (
            <Table
              label="Members"
              rows={results}
              rowKey={({ id }) => id}
              columns={[
                { name: "Person", cell: ({ user: { username, display_name } }) => <><strong>{display_name || username}</strong> {display_name && display_name !== username && <span className="soft">{username}</span>}</> },
                { name: "Role", cell: ({ role }) => role },
                { name: "Actions", unnamed: true, cell: (member) => owner && <Button variant="subtle" color="gray" onClick={() => { setLeaving(member); }}>Remove</Button>, numeric: true },
              ]}
            />
          )}
        </Loaded>
      </Panel>
      <Removal member={leaving} onClose={() => { setLeaving(null); }} />
    </>
  );
}

function Removal({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const remove = useRemoveMember();
  return (
    <Confirm opened={member !== null} onClose={onClose} title={`Remove ${member?.user.username ?? ""}?`} verb="Remove" busy={remove.isPending} error={remove.error} onConfirm={() => { if (member) remove.mutate(member.id, { onSuccess: onClose }); }}>
      <p>They lose sight of this workspace at once, on open pages too. What they made stays.</p>
    </Confirm>
  );
}

function AddMember() {
  const { name } = useWorkspace();
  const add = useAddMember();
  const [username, setUsername] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate({ username, role }, { onSuccess: () => { setUsername(""); } });
  };
  return (
    <Panel title={`Add somebody to ${name}`}>
      <form className={classes["row"]} onSubmit={submit}>
        <TextInput label="User name" required value={username} onChange={(e) => { setUsername(e.currentTarget.value); }} />
        <Select label="Role" allowDeselect={false} data={[...ROLES]} value={role} onChange={(value) => { setRole(ROLES.find((one) => one.value === value)?.value ?? "viewer"); }} w={280} />
        <Button type="submit" loading={add.isPending}>Add</Button>
      </form>
      {add.error && <p role="alert"><Mark tone="bad" plain>Not added</Mark> {add.error instanceof ApiError ? add.error.message : ""}</p>}
    </Panel>
  );
}
