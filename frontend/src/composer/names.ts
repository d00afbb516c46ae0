/** The rule of names that people give, as the server has it (`jobs/base/names.py`). No React. */

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

/** Whether it is a letter, then letters, digits and _, at most 63 characters. */
export function isName(text: string): boolean {
  return NAME.test(text);
}
