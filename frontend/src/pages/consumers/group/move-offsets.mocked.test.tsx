import { createTheme, MantineProvider, Modal } from "@mantine/core";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { ApiError } from "../../../api/client";
import type { GroupDetail, MovePlan } from "../../../api/types";
import { MoveOffsets } from "./move-offsets";

interface Request {
  data?: MovePlan;
  error: ApiError | null;
}

const requests = vi.hoisted((): { preview: Request; move: Request } => ({
  preview: { error: null },
  move: { error: null },
}));

vi.mock("../../../api/consumer-groups", () => {
  let calls = 0;
  return {
    useMoveOffsets: () => {
      calls += 1;
      return { isPending: false, ...(calls % 2 ? requests.preview : requests.move) };
    },
  };
});

const PLAN = {
  moves: [{ topic: "orders", partition: 0, before: 500, after: 400, change: -100, cut: false }],
  skipped: 0,
  read_again: 100,
  refused: "",
  applied: false,
} as unknown as MovePlan;

/** A dialog is shown where it is: a portal needs a document. */
const IN_PLACE = createTheme({
  components: { Modal: Modal.extend({ defaultProps: { withinPortal: false } }) },
});

function shown(move: ApiError | null): { text: string; canMove: boolean } {
  requests.preview = { data: PLAN, error: null };
  requests.move = { error: move };
  const group = { cluster: "home", name: "billing", topics: ["orders"] } as GroupDetail;
  const page = renderToStaticMarkup(
    <MantineProvider theme={IN_PLACE} env="test">
      <MoveOffsets group={group} onClose={() => undefined} />
    </MantineProvider>,
  );
  const button = /<button[^>]*>(?:(?!<\/button>).)*Move offsets(?:(?!<\/button>).)*<\/button>/.exec(
    page,
  )?.[0];
  expect(button).toBeDefined();
  return { text: page.replace(/<[^>]*>/g, " "), canMove: !button?.includes("disabled") };
}

test("what was previewed can be moved", () => {
  const { text, canMove } = shown(null);
  expect(text).toContain("1 partition would move");
  expect(canMove).toBe(true);
});

test("a move that was done in part is not repeated as it was previewed: others would move twice", () => {
  const { text, canMove } = shown(new ApiError(409, "Conflict", "1 of 2 weren't moved.", "PARTLY_MOVED"));
  expect(text).toContain("Only some offsets were moved");
  expect(text).toContain("1 of 2 weren&#x27;t moved.");
  expect(text).not.toContain("1 partition would move");
  expect(canMove).toBe(false);
});

test("nor is a move of which nobody knows whether it was done", () => {
  const { text, canMove } = shown(new ApiError(0, "Can't reach Weir", "It may or may not have arrived."));
  expect(text).not.toContain("1 partition would move");
  expect(canMove).toBe(false);
});
