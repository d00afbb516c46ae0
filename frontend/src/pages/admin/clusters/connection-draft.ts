/** What the form of a cluster holds, and the request it becomes. No React. */

import type { Cluster, Connection } from "../../../api/types";

export interface ConnectionDraft {
  name: string;
  bootstrap: string;
  tls: boolean;
  /** empty: no user */
  mechanism: "" | "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512";
  username: string;
  /** empty: the one that is set stays, where nothing else changes */
  password: string;
  ca: string;
}

export const EMPTY_CONNECTION: ConnectionDraft = {
  name: "",
  bootstrap: "",
  tls: true,
  mechanism: "SCRAM-SHA-512",
  username: "",
  password: "",
  ca: "",
};

export function draftOf(cluster: Cluster): ConnectionDraft {
  return {
    name: cluster.name,
    bootstrap: cluster.bootstrap,
    tls: cluster.security.endsWith("SSL"),
    mechanism: cluster.mechanism,
    username: cluster.username,
    password: "",
    ca: cluster.ca,
  };
}

export function connectionOf({
  bootstrap,
  tls,
  mechanism,
  username,
  password,
  ca,
}: ConnectionDraft): Connection {
  const user = mechanism !== "";
  return {
    bootstrap: bootstrap.replace(/\s+/g, ""),
    security: user ? (tls ? "SASL_SSL" : "SASL_PLAINTEXT") : tls ? "SSL" : "PLAINTEXT",
    mechanism,
    username: user ? username : "",
    password: user && password ? password : null,
    ca: tls ? ca : "",
  };
}

/**
 * True if the server keeps the stored password: it is bound to its connection, so a change of any field but
 * the name asks for it again.
 */
export function keepsPassword(draft: ConnectionDraft, known: Cluster | null): boolean {
  if (!known?.password_set_at) return false;
  const now = connectionOf(draft);
  return (["bootstrap", "security", "mechanism", "username", "ca"] as const).every(
    (field) => now[field] === known[field],
  );
}

/** What is still missing before it can be tried, in words; null when nothing is. */
export function lacking(draft: ConnectionDraft, known: Cluster | null): string | null {
  if (!draft.bootstrap.trim()) return "Enter bootstrap servers.";
  if (draft.mechanism && !draft.username) return "Enter a user name.";
  if (draft.mechanism && !draft.password && !keepsPassword(draft, known)) {
    return known?.password_set_at
      ? "Re-enter the password: connection settings changed."
      : "Enter the password.";
  }
  if (draft.mechanism === "PLAIN" && !draft.tls) return "PLAIN needs TLS. Use TLS or SCRAM.";
  return null;
}

/** In a word or two: how it is reached. */
export function securityText({ security, mechanism, username }: Cluster): string {
  const wire = security.endsWith("SSL") ? "TLS" : "no TLS";
  return mechanism ? `${wire}, ${mechanism} as ${username}` : `${wire}, no authentication`;
}
