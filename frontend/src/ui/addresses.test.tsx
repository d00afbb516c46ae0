import { renderToStaticMarkup } from "react-dom/server";
import { Route, Router, useLocation } from "wouter";
import { describe, expect, it } from "vitest";
import { groupPath } from "../pages/consumers/group-path";
import { isAt, nameOf, useNamedLocation, useNamedSearch } from "./addresses";
import { useUrlState } from "./url-state";

const NAMES = ["billing", "a b", "100%", "50%ab", "a%2Fb", "a/b", "ü?x=1#y", "a+b&c", "%", "[1]", "a|b;c:d"];

interface Seen {
  group?: string;
  isTab?: boolean;
  where?: string;
}

/** What a page reads from an address. */
function seen(path: string, search = ""): Seen {
  const found: Seen = {};
  function Page({ group }: { group: string }) {
    found.group = nameOf(group);
    found.isTab = isAt(useLocation()[0], groupPath("home", found.group));
    [found.where] = useUrlState("where", "");
    return null;
  }
  renderToStaticMarkup(
    <Router
      hook={useNamedLocation}
      searchHook={useNamedSearch}
      ssrPath={`/w/demo${path}`}
      ssrSearch={search || "?"}
    >
      <Route path="/w/:workspace" nest>
        <Route path="/consumers/:cluster/:group">{({ group }) => <Page group={group} />}</Route>
      </Route>
    </Router>,
  );
  return found;
}

describe("an address", () => {
  it.each(NAMES)("leads to what is called %j, under its tab", (name) => {
    expect(seen(groupPath("home", name))).toMatchObject({ group: name, isTab: true });
  });

  it.each([...NAMES, "name like '%20%'", '["50%ab"]'])("holds %j as it was typed", (where) => {
    const search = `?${new URLSearchParams({ where }).toString()}`;
    expect(seen("/consumers/home/billing", search).where).toBe(where);
  });

  it("that was typed wrongly breaks nothing", () => {
    expect(seen("/consumers/home/%E0%A4%A").group).toBe("%E0%A4%A");
    expect(seen("/consumers/home/100%").group).toBe("100%");
  });
});
