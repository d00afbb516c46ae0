import { Button } from "@mantine/core";
import { Empty } from "../ui/placeholders";

export function NotFoundPage({ title = "Page not found" }: { title?: string }) {
  return (
    <main id="main" tabIndex={-1}>
      <Empty
        main
        title={title}
        action={
          <Button component="a" href="/">
            Go to overview
          </Button>
        }
      >
        It may have been deleted, or you don't have access.
      </Empty>
    </main>
  );
}
