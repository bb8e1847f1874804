const escaped = (text: string): string => text.replace(/[.+^${}()|[\]\\]/g, "\\$&");

/**
 * AWS's wildcards, as IAM policies and EC2 filters use them: `*` is any run of characters, `?` exactly one.
 * @param flags of a regular expression: "i" ignores case
 */
export const like = (pattern: string, value: string, flags = ""): boolean =>
  new RegExp(`^${escaped(pattern).replaceAll("*", ".*").replaceAll("?", ".")}$`, `s${flags}`).test(value);
