import react from "@vitejs/plugin-react";
import { configDefaults, defineConfig } from "vitest/config";

// `npm run dev` talks to a running Weir (or to dev/mock.mjs) at this address.
const backend = process.env["WEIR_BACKEND"] ?? "http://127.0.0.1:8400";

/** Tests that replace modules, which others must not see. */
const mocked = "src/**/*.mocked.test.{ts,tsx}";

export default defineConfig(({ command }) => ({
  base: command === "build" ? "/static/" : "/",
  plugins: [react()],
  build: {
    outDir: "dist",
    sourcemap: true,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // First, so that no other group takes React along with what needs it.
            {
              name: "react",
              test: /node_modules[\\/](react|react-dom|scheduler|use-sync-external-store)[\\/]/,
            },
            {
              name: "editor",
              test: /node_modules[\\/](@codemirror|@lezer|yaml|style-mod|w3c-keyname|crelt)/,
            },
            {
              name: "grid",
              test: /node_modules[\\/](react-(grid-layout|draggable|resizable)|prop-types|resize-observer-polyfill|fast-equals)/,
            },
            {
              name: "graph",
              test: /node_modules[\\/](@xyflow|@dagrejs|d3-|classcat|zustand)/,
            },
            { name: "charts", test: /node_modules[\\/]uplot/ },
            { name: "vendor", test: /node_modules/ },
          ],
        },
      },
    },
  },
  test: {
    pool: "threads",
    testTimeout: 60_000, // ms: a test that hangs ends; one beside other work takes its time
    projects: [
      // Loaded again for each file, modules took three quarters of the time.
      {
        extends: true,
        test: { name: "shared modules", isolate: false, exclude: [...configDefaults.exclude, mocked] },
      },
      { extends: true, test: { name: "replaced modules", include: [mocked] } },
    ],
  },
  server: {
    proxy: {
      "/api": backend,
      "/ws": { target: backend, ws: true },
    },
  },
}));
