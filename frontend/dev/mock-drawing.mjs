/** Where people put nodes of drawings. */

const POSITIONS = new Map();

export function drawing(method, job, body) {
  const now = POSITIONS.get(job) ?? { right: {}, down: {} };
  if (method === "GET") return [200, now];
  if (process.env.WEIR_MOCK_UNSAVED)
    return [503, { title: "Kept away", detail: "The database doesn't answer. Try again in a minute." }];
  const after = Object.fromEntries(
    Object.entries(now).map(([direction, placed]) => [
      direction,
      Object.fromEntries(Object.entries({ ...placed, ...body[direction] }).filter(([, place]) => place)),
    ]),
  );
  POSITIONS.set(job, after);
  return [200, after];
}
