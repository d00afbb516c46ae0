import { describe, expect, it } from "vitest";
import { ErrorBoundary, failureText } from "./error-boundary";

describe("a part that can't be drawn", () => {
  it("is said with what to do", () => {
    const chunk = new TypeError("Failed to fetch dynamically imported module: /static/map-1.js");
    expect(failureText(chunk)).toContain("updated");
    expect(failureText(new RangeError("Invalid time value"))).toContain("report the details");
  });

  it("is tried again elsewhere, and there alone", () => {
    const failed = {
      failure: null,
      resetKey: "/map",
      ...ErrorBoundary.getDerivedStateFromError(new Error("x")),
    };
    const next = (resetKey: string) =>
      ErrorBoundary.getDerivedStateFromProps({ children: null, resetKey }, failed);
    expect(next("/map")).toBeNull();
    expect(next("/jobs")).toEqual({ failure: null, resetKey: "/jobs" });
  });
});
