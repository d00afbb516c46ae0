/**
 * The Mantine theme: one accent (blue), one neutral scale, 14 px base, 8 px grid. Semantic colours:
 * tokens.css.
 */

import { createTheme, type MantineColorsTuple } from "@mantine/core";

const accent: MantineColorsTuple = [
  "#eef3fc",
  "#dbe6f8",
  "#b5cbf1",
  "#8cafe9",
  "#6897e2",
  "#4d83da",
  "#3a72d0",
  "#2b62c4",
  "#2253a9",
  "#19448c",
];

const gray: MantineColorsTuple = [
  "#f7f8fa",
  "#eff1f4",
  "#e3e6eb",
  "#d0d5dc",
  "#b0b7c3",
  "#8a93a2",
  "#687182",
  "#4b5464",
  "#333b49",
  "#1f2530",
];

const dark: MantineColorsTuple = [
  "#d6dbe4",
  "#b7bfcc",
  "#97a1b1",
  "#6b7686",
  "#3d4655",
  "#2c3441",
  "#212833",
  "#191f28",
  "#12171e",
  "#0c1015",
];

export const theme = createTheme({
  primaryColor: "accent",
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  luminanceThreshold: 0.36,
  colors: { accent, gray, dark },
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", sans-serif',
  fontFamilyMonospace: '"JetBrains Mono Variable", ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  fontSizes: { xs: "13px", sm: "13.5px", md: "14px", lg: "16px", xl: "20px" },
  lineHeights: { xs: "1.4", sm: "1.45", md: "1.5", lg: "1.5", xl: "1.4" },
  spacing: { xs: "8px", sm: "12px", md: "16px", lg: "24px", xl: "32px" },
  defaultRadius: "sm",
  radius: { sm: "5px", md: "8px" },
  headings: {
    fontWeight: "600",
    sizes: {
      h1: { fontSize: "20px", lineHeight: "28px" },
      h2: { fontSize: "15px", lineHeight: "22px" },
      h3: { fontSize: "14px", lineHeight: "20px" },
    },
  },
  cursorType: "pointer",
  focusRing: "auto",
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: "xs" }, styles: { root: { fontSize: 13, fontWeight: 550, height: 32 } } },
    TextInput: { defaultProps: { size: "xs" } },
    PasswordInput: { defaultProps: { size: "sm" } },
    NumberInput: { defaultProps: { size: "xs" } },
    InputWrapper: { styles: { description: { fontSize: 12.5 }, error: { fontSize: 12.5 } } },
    Select: { defaultProps: { size: "xs", checkIconPosition: "right" } },
    MultiSelect: { defaultProps: { size: "xs" } },
    Textarea: { defaultProps: { size: "xs" } },
    SegmentedControl: { defaultProps: { size: "xs" } },
    // Keep lists open when the page grows and moves their input: a check may finish while the user chooses.
    Popover: { defaultProps: { hideDetached: false } },
    Menu: { defaultProps: { shadow: "md", position: "bottom-end" } },
    Modal: {
      defaultProps: { centered: true, radius: "md", closeButtonProps: { "aria-label": "Close" } },
    },
    Drawer: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true, multiline: true, maw: 320 } },
  },
});
