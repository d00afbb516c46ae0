import { Button } from "@mantine/core";
import { useAnswerInvitation } from "../../api/session";
import type { Session } from "../../api/types";
import { RequestError } from "../request-error";
import classes from "./shell.module.css";

/** Workspaces that offer the person a role; each is taken or declined here. */
export function InvitationBanner({ session }: { session: Session }) {
  const answer = useAnswerInvitation();
  return session.invitations.map(({ id, workspace_name, role, invited_by }) => (
    <section key={id} className={classes["banner"]} aria-label={`Invitation to ${workspace_name}`}>
      <span>
        <strong>{invited_by}</strong> invited you to the workspace <strong>{workspace_name}</strong> as {role}
        .
      </span>
      <Button
        loading={answer.isPending && answer.variables.id === id}
        onClick={() => {
          answer.mutate({ id, accept: true });
        }}
      >
        Accept
      </Button>
      <Button
        variant="default"
        disabled={answer.isPending}
        onClick={() => {
          answer.mutate({ id, accept: false });
        }}
      >
        Decline
      </Button>
      {answer.variables?.id === id && (
        <RequestError what="Couldn't answer the invitation" error={answer.error} />
      )}
    </section>
  ));
}
