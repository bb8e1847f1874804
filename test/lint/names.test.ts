import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

/** A declaration that another file may import, with the file that makes it. */
interface Declaration {
  readonly name: string;
  readonly kind: string;
  readonly path: string;
}

const DECLARATION = /^export (?:async )?(interface|type|class|function|const) ([A-Za-z_$][\w$]*)/gm;

const declarationsIn = (path: string, text: string): Declaration[] =>
  [...text.matchAll(DECLARATION)].map(({ 1: kind = "", 2: name = "" }) => ({ name, kind, path }));

/** Participles that do not end like one. */
const IRREGULAR =
  "begun|built|chosen|done|drawn|found|given|gone|heard|held|kept|known|left|lost|made|meant|proven|seen|sent|shown|spent|taken|told|written";

const PARTICIPLE = new RegExp(`^(?:un)?(?:[a-z]{2,}(?:ed|ing)|${IRREGULAR})$`, "i");

/** One word, with one capital letter. */
const WORD = /^[A-Z][a-z]+$/;

/** Words that end like a participle and are nouns of the field. */
const NOUNS: ReadonlySet<string> = new Set(["Finding", "Sighting", "Timing"]);

const isParticiple = ({ name, kind }: Declaration): boolean =>
  (kind === "interface" || kind === "type") && WORD.test(name) && PARTICIPLE.test(name) && !NOUNS.has(name);

/** Names that several files may export, each with its reason. */
const SHARED: Readonly<Record<string, string>> = {
  handler: "Lambda calls the export of this name in every entry",
  createHandler: "the sandbox mounts every entry by the export of this name",
  changes: "a test runs over the rows of runChange that every entry exports by this name",
  audit: "the capability, and the calls of the ledger that it needs",
  breakGlass: "the option, and the calls of the ledger that it needs",
  doctor: "the capability, and the calls of services that it needs",
  drain: "the capability, and the calls of the cluster that it needs",
  people: "the capability, and the calls of Slack that it needs",
  stops: "the capability, and the calls of ledger and cluster that it needs",
};

const twice = (declarations: readonly Declaration[]): string[] =>
  Object.entries(Object.groupBy(declarations, ({ name }) => name))
    .filter(([name, of = []]) => new Set(of.map(({ path }) => path)).size > 1 && !(name in SHARED))
    .map(([name, of = []]) => `${name}: ${of.map(({ path }) => path).join(", ")}`);

const ofLambdas = (): Declaration[] =>
  globSync("lambdas/**/*.ts", { cwd: root }).flatMap((path) =>
    declarationsIn(path, readFileSync(join(root, path), "utf8")),
  );

test.each(["Judged", "Watching", "Told", "Unproven", "Undone"])("a type called %s alone is refused", (name) => {
  const [declaration] = declarationsIn("a.ts", `export interface ${name} {}\n`);
  expect(declaration && isParticiple(declaration)).toBe(true);
});

test.each(["ApprovalBasis", "MissedTick", "Finding", "Node", "Bed"])("a type called %s is left alone", (name) => {
  const [declaration] = declarationsIn("a.ts", `export type ${name} = string;\n`);
  expect(declaration && isParticiple(declaration)).toBe(false);
});

test("a name that two files export is found, with both", () => {
  const text = "export const a = 1;\nexport function b() {}\n";
  expect(twice([...declarationsIn("x.ts", text), ...declarationsIn("y.ts", "export type a = 1;\n")])).toEqual([
    "a: x.ts, y.ts",
  ]);
});

test("types of what runs in the cloud are nouns of the domain", () => {
  const declarations = ofLambdas();
  expect(declarations.length).toBeGreaterThan(1500);
  expect(declarations.filter(isParticiple).map(({ name, path }) => `${path}: ${name}`)).toEqual([]);
  expect(NOUNS.size).toBeLessThanOrEqual(10);
});

test("a name that what runs in the cloud exports has one meaning", () => {
  expect(twice(ofLambdas())).toEqual([]);
});
