/** Results of the code by the names of their cases. */
type Cases = Readonly<Record<string, unknown>>;

const isMessage = (value: unknown): value is { readonly text?: string; readonly blocks: readonly unknown[] } =>
  typeof value === "object" && value !== null && "blocks" in value && Array.isArray(value.blocks);

function linesOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!isMessage(value)) return JSON.stringify(value);
  const { blocks, ...rest } = value;
  return [rest, ...blocks].map((part) => JSON.stringify(part)).join("\n");
}

/** Writes a table of results as people review it: the name of each case, then its whole text, or its blocks one a line. */
export const written = (cases: Cases): string =>
  Object.entries(cases)
    .map(([name, value]) => `# ${name}\n${linesOf(value)}\n`)
    .join("\n");

/** Names the results of one function for several arguments: "drain: budget". */
export const each = <T>(name: string, given: Readonly<Record<string, T>>, does: (one: T) => unknown): Cases =>
  Object.fromEntries(Object.entries(given).map(([key, one]) => [`${name}: ${key}`, does(one)]));
