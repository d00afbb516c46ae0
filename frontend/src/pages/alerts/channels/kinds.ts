import type { AlertChannelKind } from "../../../api/types";

export const KIND_NAMES: Readonly<Record<AlertChannelKind, string>> = {
  email: "E-mail",
  slack: "Slack-compatible",
  teams: "Teams",
  pagerduty: "PagerDuty",
  webhook: "Webhook",
};

/** What the address of a kind is, and an example. */
export const ADDRESSES: Readonly<Record<AlertChannelKind, { label: string; placeholder: string }>> = {
  email: { label: "Recipients", placeholder: "ops@example.com, ann@example.com" },
  slack: { label: "Webhook URL", placeholder: "https://hooks.slack.com/services/…" },
  teams: { label: "Workflow URL", placeholder: "https://….logic.azure.com/…" },
  pagerduty: { label: "Integration key (Events API v2)", placeholder: "32 letters and digits" },
  webhook: { label: "URL", placeholder: "https://example.com/weir" },
};
