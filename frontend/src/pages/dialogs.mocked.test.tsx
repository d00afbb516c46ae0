import { createTheme, Drawer, Modal } from "@mantine/core";
import type * as ReactQuery from "@tanstack/react-query";
import type { ReactElement } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Dashboard, DeadLetterDetail, GroupDetail, Stream } from "../api/types";
import { renderedInWorkspace } from "../testing/rendered";
import { ReceiverForm } from "./admin/openlineage/receiver-form";
import { AlertDetail } from "./alerts/alert-detail";
import { ChannelForm } from "./alerts/channels/channel-form";
import { ObjectiveForm } from "./alerts/objectives/objective-form";
import { RuleEditor } from "./alerts/rules/rule-editor";
import { SilenceForm } from "./alerts/silences/silence-form";
import { MoveOffsets } from "./consumers/group/move-offsets";
import { ShareDrawer } from "./dashboard/share-drawer";
import { NewDashboard } from "./dashboards/dashboards";
import { BulkEdit } from "./stream/dead-letters/bulk-edit";
import { EditDeadLetter } from "./stream/dead-letters/edit-dead-letter";
import { RedriveForm } from "./stream/dead-letters/redrive-form";

const request = vi.hoisted((): { isPending: boolean; data?: unknown; error: null } => ({
  isPending: false,
  error: null,
}));
const left = vi.hoisted((): { changed: boolean[] } => ({ changed: [] }));

vi.mock("@tanstack/react-query", async (original) => ({
  ...(await original<typeof ReactQuery>()),
  useMutation: () => request,
}));

vi.mock("../drafts/discard-draft", () => ({
  useLeave: (changed: boolean, leave: () => void) => {
    left.changed.push(changed);
    return { leave, question: "What is written is asked about." };
  },
}));

/** Dialogs are shown where they are: a portal needs a document, and so does the bar for scrolling. */
const IN_PLACE = createTheme({
  components: {
    Modal: Modal.extend({ defaultProps: { withinPortal: false, lockScroll: false } }),
    Drawer: Drawer.extend({ defaultProps: { withinPortal: false, lockScroll: false } }),
  },
});

const close = () => undefined;
const STREAM = {
  name: "orders",
  contract: { format: "json", fields: [{ name: "id", type: "long" }] },
} as unknown as Stream;
const LETTER = { id: "l1", headers: [], key: null, value: null } as unknown as DeadLetterDetail;
const GROUP = { cluster: "home", name: "billing", topics: ["orders"] } as GroupDetail;
const DASHBOARD = { id: "floor", name: "Floor" } as Dashboard;

const CREATING: readonly [string, ReactElement][] = [
  ["objective", <ObjectiveForm key="" onClose={close} />],
  ["silence", <SilenceForm key="" onClose={close} />],
  ["channel", <ChannelForm key="" emailConfigured onClose={close} />],
  ["rule", <RuleEditor key="" rule={null} onClose={close} onCreated={close} />],
  ["receiver", <ReceiverForm key="" known={null} onClose={close} />],
];

const DIALOGS: readonly [string, ReactElement][] = [
  ...CREATING,
  ["dashboard", <NewDashboard key="" opened onClose={close} />],
  ["redrive", <RedriveForm key="" stream={STREAM} choice={{ all: true }} deadLetters={2} onClose={close} />],
  ["bulk edit", <BulkEdit key="" stream={STREAM} choice={{ all: true }} deadLetters={2} onClose={close} />],
  ["edit", <EditDeadLetter key="" stream={STREAM} deadLetter={LETTER} onClose={close} />],
  ["offsets", <MoveOffsets key="" group={GROUP} onClose={close} />],
  ["alert", <AlertDetail key="" />],
  ["link", <ShareDrawer key="" dashboard={DASHBOARD} opened onClose={close} />],
];

function shown(dialog: ReactElement): string {
  return renderedInWorkspace(dialog, { search: "alert=a1", theme: IN_PLACE });
}

/** By which buttons a dialog can be left: the X, and Cancel or Done. */
function exitsOf(page: string): string[] {
  const buttons = page.match(/<button.*?<\/button>/g) ?? [];
  return buttons
    .filter((button) => !button.includes("disabled"))
    .flatMap((button) => /Modal-close|Drawer-close|Cancel|Done/.exec(button)?.[0] ?? []);
}

beforeEach(() => {
  Object.assign(request, { isPending: false, data: undefined });
  left.changed = [];
  const localStorage = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  vi.stubGlobal("window", { localStorage, location: { search: "", origin: "https://weir.test" } });
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it.each(DIALOGS)("a dialog stays open while its request is on the way, for a refusal: %s", (_, dialog) => {
  expect(exitsOf(shown(dialog))).not.toEqual([]);
  request.isPending = true;
  expect(exitsOf(shown(dialog))).toEqual([]);
});

it.each(CREATING)("asks before what was written into the form of a new %s is lost", (_, dialog) => {
  expect(shown(dialog)).toContain("What is written is asked about.");
  expect(left.changed).toEqual([false]);
});

it("the address of a new link is there until somebody is done with it", () => {
  request.data = { token: "t1" };
  const page = shown(<ShareDrawer dashboard={DASHBOARD} opened onClose={close} />);
  expect(page).toContain("https://weir.test/shared#t1");
  expect(exitsOf(page)).toEqual(["Done"]);
});
