import { Button } from "@mantine/core";
import { Empty } from "../ui/placeholders";

export function NotFoundPage({ what }: { what: string }) {
  return (
    <main id="main" tabIndex={-1}>
      <Empty main title={`There is not ${what}`} action={<Button component="a" href="/">Go to the overview</Button>}>
        It may have been deleted, or belong to a workspace that you are no member of.
      </Empty>
    </main>
  );
}
