/** The documents of the examples folder, for tests. */

const FILES = import.meta.glob<string>("../../../../examples/*/document.yaml", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** [name, text] of each example, with a comment above each source and step and one beside it. */
export const EXAMPLES: readonly (readonly [string, string])[] = Object.entries(FILES).map(([path, text]) => [
  path.split("/").at(-2) ?? path,
  commented(text),
]);

/** The comments of a source or step. */
export function commentsOf(name: string): readonly string[] {
  return [`# above ${name}!`, `# beside ${name}!`];
}

function commented(text: string): string {
  let section = "";
  let name = "";
  return text
    .split("\n")
    .map((line) => {
      section = /^(\w+):/.exec(line)?.[1] ?? section;
      if (section !== "sources" && section !== "steps") return line;
      name = /^ {2}(\w+):/.exec(line)?.[1] ?? name;
      const [above = "", beside = ""] = commentsOf(name);
      if (/^ {2}\w+: \{/.test(line)) return `  ${above}\n${line} ${beside}`;
      if (/^ {2}\w+:$/.test(line)) return `  ${above}\n${line}`;
      return /^ {4}op:/.test(line) ? `${line} ${beside}` : line;
    })
    .join("\n");
}
