/** An answer with the time, in ISO 8601, at which it came: what is kept for hours says how old it is. */
export async function withReadAt<T extends object>(answer: Promise<T>): Promise<T & { readAt: string }> {
  return { ...(await answer), readAt: new Date().toISOString() };
}
