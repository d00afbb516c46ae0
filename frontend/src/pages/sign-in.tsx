import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { useState, type FormEvent } from "react";
import { ApiError } from "../api/client";
import { useSignIn } from "../api/session";
import { Logo } from "../ui/logo";
import { Badge } from "../ui/status";
import classes from "./sign-in.module.css";

function why(error: unknown): string {
  if (!(error instanceof ApiError)) return "Something went wrong. Try again.";
  if (error.status === 0 || error.status >= 500) return error.message;
  return error.detail || "Incorrect username or password.";
}

export function SignInPage() {
  useDocumentTitle("Sign in · Weir");
  const signIn = useSignIn();
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    signIn.mutate({ username, password });
  };
  return (
    <main className={classes["page"]}>
      <form className={classes["form"]} onSubmit={submit}>
        <Logo className={classes["logo"]} />
        <h1>Sign in to Weir</h1>
        <TextInput
          size="sm"
          label="Username"
          name="username"
          autoComplete="username"
          required
          autoFocus
          value={username}
          onChange={(e) => {
            setUsername(e.currentTarget.value);
          }}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(e) => {
            setPassword(e.currentTarget.value);
          }}
        />
        {signIn.error && (
          <p role="alert">
            <Badge tone="bad" plain>
              Sign-in failed
            </Badge>
            <br />
            {why(signIn.error)}
          </p>
        )}
        <Button type="submit" size="sm" loading={signIn.isPending}>
          Sign in
        </Button>
        <p className="soft">
          Running locally? Use the one-time link that <code>make run</code> prints.
        </p>
      </form>
    </main>
  );
}
