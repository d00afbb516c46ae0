import { expect, it } from "vitest";
import { EMPTY_DRAFT, withTopic } from "./contract-draft";

it("a stream keeps the name that it was given when the topic changes", () => {
  const chosen = { ...EMPTY_DRAFT, ...withTopic(EMPTY_DRAFT, "shop.orders") };
  expect(chosen.name).toBe("shop_orders");
  expect(withTopic(chosen, "shop.sales").name).toBe("shop_sales");
  expect(withTopic({ ...chosen, name: "orders" }, "shop.sales").name).toBe("orders");
  expect(withTopic({ ...chosen, name: "" }, "shop.sales").name).toBe("shop_sales");
});
