import { describe, expect, it } from "vitest";
import type { Cluster } from "../../../api/types";
import { connectionOf, draftOf, EMPTY_CONNECTION, lacking, securityText } from "./connection-draft";

const KNOWN: Cluster = {
  id: "c1",
  name: "Trading",
  bootstrap: "kafka:9093",
  home: false,
  security: "SASL_SSL",
  mechanism: "SCRAM-SHA-512",
  username: "ann",
  password_set_at: "2026-01-01T00:00:00Z",
  ca: "",
  reachable: null,
  checked_at: null,
  error: "",
  disk_used_share: null,
  certificate_expires_at: null,
  revision: 1,
};

describe("a cluster's form", () => {
  it("becomes the fields of the API, without what does not apply", () => {
    expect(
      connectionOf({ ...EMPTY_CONNECTION, bootstrap: "a:1, b:2", username: "ann", password: "x" }),
    ).toEqual({
      bootstrap: "a:1,b:2",
      security: "SASL_SSL",
      mechanism: "SCRAM-SHA-512",
      username: "ann",
      password: "x",
      ca: "",
    });
    expect(
      connectionOf({
        ...EMPTY_CONNECTION,
        bootstrap: "a:1",
        tls: false,
        mechanism: "",
        username: "left over",
        password: "x",
        ca: "left over",
      }),
    ).toEqual({
      bootstrap: "a:1",
      security: "PLAINTEXT",
      mechanism: "",
      username: "",
      password: null,
      ca: "",
    });
  });

  it("keeps the password that is set, and says what is missing", () => {
    const draft = draftOf(KNOWN);
    expect(connectionOf(draft).password).toBeNull();
    expect(lacking(draft, KNOWN)).toBeNull();
    expect(lacking(draft, null)).toContain("password");
    expect(lacking({ ...draft, mechanism: "PLAIN", tls: false, password: "x" }, KNOWN)).toContain("TLS");
    expect(securityText(KNOWN)).toBe("TLS, SCRAM-SHA-512 as ann");
  });

  it("asks for the password again where it would go elsewhere than it was given for", () => {
    const draft = draftOf(KNOWN);
    expect(lacking({ ...draft, name: "Trading floor" }, KNOWN)).toBeNull();
    for (const change of [
      { bootstrap: "elsewhere:9093" },
      { mechanism: "PLAIN" as const },
      { tls: false },
      { username: "bob" },
      { ca: "PEM" },
    ]) {
      expect(lacking({ ...draft, ...change }, KNOWN)).toContain("Re-enter");
      expect(lacking({ ...draft, ...change, password: "x", tls: true }, KNOWN)).toBeNull();
    }
  });
});
