import { type PartFile, verificationOf } from "./parts.ts";

/** A row of the printed table. */
export interface TableRow {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly verified: string;
}

const HEAD: TableRow = { name: "FILE", version: "VERSION", source: "SOURCE", verified: "VERIFIED BY" };

/** Shortens an address or an image to what a person recognises: host and path without the file, a digest's beginning. */
function place(address: string): string {
  const short = address.replace(/@sha256:([0-9a-f]{12})[0-9a-f]*/, "@sha256:$1…");
  if (!URL.canParse(short) || !short.startsWith("https:")) return short;
  const { hostname, pathname } = new URL(short);
  const owner = hostname === "github.com" ? pathname.split("/").slice(0, 3).join("/") : "";
  return `${hostname}${owner}`;
}

/** Builds a row of a file that has not been fetched yet. */
export const rowOf = (part: PartFile): TableRow => ({
  name: part.name,
  version: part.version,
  source: part.source.from === "image" ? part.source.image : part.source.asset.url,
  verified: verificationOf(part.source),
});

/** Formats a table of files: one line each, with how its content is verified. */
export function table(rows: readonly TableRow[]): string {
  const cells = [HEAD, ...rows.map((row) => ({ ...row, source: place(row.source) }))].map(
    ({ name, version, source, verified }) => [name, version, source, verified],
  );
  const widths = [0, 1, 2].map((at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
