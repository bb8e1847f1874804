const escaped = (text: string): string => text.replace(/[.+^${}()|[\]\\]/g, "\\$&");

/** Cache: patterns come from policies and filters, so there are few, and each call uses them again. */
const known = new Map<string, RegExp>();

function expressionOf(pattern: string, flags: string): RegExp {
  const name = `${flags} ${pattern}`;
  const made =
    known.get(name) ?? new RegExp(`^${escaped(pattern).replaceAll("*", ".*").replaceAll("?", ".")}$`, `s${flags}`);
  known.set(name, made);
  return made;
}

/**
 * AWS's wildcards, as IAM policies and EC2 filters use them: `*` is any run of characters, `?` exactly one.
 * @param flags of a regular expression: "i" ignores case
 */
export const like = (pattern: string, value: string, flags = ""): boolean => expressionOf(pattern, flags).test(value);
