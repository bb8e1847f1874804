/** Lines around a change that are shown with it. */
const CONTEXT = 1;

/** A line of either text: in both, only in the old one, or only in the new one. */
interface Line {
  readonly mark: " " | "-" | "+";
  readonly text: string;
}

/** Lengths of the longest common subsequences of the lines from each pair of positions on. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0));
  for (let one = before.length - 1; one >= 0; one -= 1)
    for (let other = after.length - 1; other >= 0; other -= 1) {
      const [row = [], next = []] = [lengths[one], lengths[one + 1]];
      row[other] =
        before[one] === after[other] ? (next[other + 1] ?? 0) + 1 : Math.max(next[other] ?? 0, row[other + 1] ?? 0);
    }
  return lengths;
}

function markedLines(before: readonly string[], after: readonly string[]): Line[] {
  const lengths = commonLengths(before, after);
  const lines: Line[] = [];
  let [one, other] = [0, 0];
  while (one < before.length || other < after.length) {
    const [old, fresh] = [before[one], after[other]];
    if (old !== undefined && old === fresh) {
      lines.push({ mark: " ", text: old });
      one += 1;
      other += 1;
    } else if (old !== undefined && (lengths[one + 1]?.[other] ?? 0) >= (lengths[one]?.[other + 1] ?? 0)) {
      lines.push({ mark: "-", text: old });
      one += 1;
    } else {
      lines.push({ mark: "+", text: fresh ?? "" });
      other += 1;
    }
  }
  return lines;
}

/**
 * Compares two texts by lines.
 * @returns changed lines with - and +, and the lines beside them; empty if the texts are equal
 */
export function difference(before: string, after: string): string {
  if (before === after) return "";
  const lines = markedLines(before.split("\n"), after.split("\n"));
  const isShown = (at: number): boolean =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ mark }) => mark !== " ");
  return lines
    .flatMap(({ mark, text }, at) => {
      if (isShown(at)) return [`${mark} ${text}`];
      return at === 0 || isShown(at - 1) ? ["  …"] : [];
    })
    .join("\n");
}
