/** Icons: 16 px outlines in the text's colour. Always beside a word, so hidden from screen readers. */

const SHAPES = {
  overview: "M2 9h4.5V2H2zM9.5 14H14V7H9.5zM2 14h4.5v-2.5H2zM9.5 4.5H14V2H9.5z",
  jobs: "M2 4.5h3.5l2 7h3l1.5-4H14M2 11.5h2",
  streams: "M2 4.5c2-1.7 4-1.7 6 0s4 1.7 6 0M2 8c2-1.7 4-1.7 6 0s4 1.7 6 0M2 11.5c2-1.7 4-1.7 6 0s4 1.7 6 0",
  admin:
    "M8 10a2 2 0 100-4 2 2 0 000 4zM8 1.5v2M8 12.5v2M1.5 8h2M12.5 8h2" +
    "M3.4 3.4l1.4 1.4M11.2 11.2l1.4 1.4M3.4 12.6l1.4-1.4M11.2 4.8l1.4-1.4",
  search: "M7 12A5 5 0 107 2a5 5 0 000 10zM10.7 10.7L14 14",
  plus: "M8 3v10M3 8h10",
  play: "M4.5 2.8v10.4L13 8z",
  stop: "M4 4h8v8H4z",
  pause: "M5.5 3v10M10.5 3v10",
  edit: "M10.5 3l2.5 2.5L5.5 13H3v-2.5zM9 4.5L11.5 7",
  trash: "M2.5 4.5h11M6 4.5V2.5h4v2M4 4.5l.7 9h6.6l.7-9",
  down: "M4 6l4 4 4-4",
  right: "M6 4l4 4-4 4",
  up: "M4 10l4-4 4 4",
  close: "M4 4l8 8M12 4l-8 8",
  sun:
    "M8 10.5a2.5 2.5 0 100-5 2.5 2.5 0 000 5zM8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5" +
    "M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1",
  moon: "M13 9.5A5.5 5.5 0 016.5 3a5.5 5.5 0 106.5 6.5z",
  copy: "M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z",
  download: "M8 2v8M4.5 7L8 10.5 11.5 7M3 13.5h10",
  person: "M8 8a2.7 2.7 0 100-5.4A2.7 2.7 0 008 8zM2.8 14c.6-2.6 2.7-4 5.2-4s4.6 1.4 5.2 4",
  check: "M3 8.5l3.2 3L13 4.5",
  refresh: "M13 5.5A5.5 5.5 0 003 6M3 2.5V6h3.5M3 10.5A5.5 5.5 0 0013 10M13 13.5V10H9.5",
  dashboards: "M2 2.5h12v11H2zM4.5 11V8M8 11V5M11.5 11V7",
  consumers: "M2 3h7M2 8h4.5M2 13h7M9.5 8H14M11.5 5.5L14 8l-2.5 2.5",
  move: "M8 2v12M2 8h12M6 4l2-2 2 2M6 12l2 2 2-2M4 6L2 8l2 2M12 6l2 2-2 2",
  expand: "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10",
  link: "M6.5 9.5l3-3M7.5 4.5l1.2-1.2a2.8 2.8 0 014 4L11.5 8.5M8.5 11.5l-1.2 1.2a2.8 2.8 0 01-4-4L4.5 7.5",
  undo: "M6 3L2.5 6.5 6 10M3 6.5h6.5a3.5 3.5 0 010 7H6",
  redo: "M10 3l3.5 3.5L10 10M13 6.5H6.5a3.5 3.5 0 000 7H10",
  bell: "M4 11.5V7.2a4 4 0 018 0v4.3l1.2 1H2.8zM6.5 14h3",
  map: "M2 2.5h4v3H2zM10 6.5h4v3h-4zM2 10.5h4v3H2zM6 4h2v8H6M8 8h2",
  menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
} as const;

export type IconName = keyof typeof SHAPES;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      style={{ flex: "none" }}
    >
      <path d={SHAPES[name]} />
    </svg>
  );
}
