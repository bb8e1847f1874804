import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly integrity?: string;
}

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const lock: Readonly<Record<string, Locked>> = read("package-lock.json").packages;

/** Packages that run in production, by their paths in node_modules. */
const runtime = Object.entries(lock).filter(([path, { dev }]) => path !== "" && !dev);
const nameOf = (path: string): string => path.split("node_modules/").at(-1) ?? "";

/** Licences that demand no more than their own text and a notice. */
const ALLOWED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "PSF-2.0", "Unlicense"];

test("every package that runs in production has a licence that is allowed", () => {
  expect(runtime.length).toBeGreaterThan(100);
  const others = runtime.filter(([, { license }]) => license === undefined || !ALLOWED.includes(license));
  expect(others.map(([path, { license }]) => `${nameOf(path)}: ${license}`)).toEqual([]);
});

test("the lockfile holds the hash of every package that runs in production", () => {
  const others = runtime.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"));
  expect(others.map(([path]) => nameOf(path))).toEqual([]);
});

test.for(["@aws", "@aws-sdk", "@kubernetes", "@slack", "@smithy"])(
  "every package of %s is there in one version",
  (scope) => {
    const ofScope = runtime.filter(([path]) => nameOf(path).startsWith(`${scope}/`));
    expect(ofScope.length).toBeGreaterThan(0);
    const versions = Map.groupBy(ofScope, ([path]) => nameOf(path));
    const several = [...versions].filter(([, all]) => new Set(all.map(([, { version }]) => version)).size > 1);
    expect(several.map(([name]) => name)).toEqual([]);
  },
);

test("package.json pins every dependency exactly", () => {
  const { dependencies, devDependencies } = read("package.json");
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version)),
  );
  expect(loose).toEqual([]);
});
