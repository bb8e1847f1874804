import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { type ImageLocation, locationOf, serverOf } from "../../../lambdas/inputs/mirrors/location.ts";
import type { MirrorRule } from "../../../lambdas/inputs/mirrors/mirror-sets.ts";
import { type MirrorFile, mirrorsOf } from "../../../lambdas/inputs/mirrors/mirrors.ts";
import { holdsForbidden, isForbidden, sourceRulesOf } from "../../../lambdas/inputs/mirrors/surroundings.ts";

// Few names, so that sources, mirrors and insecure registries often meet.
const host = fc.constantFrom(
  "a.io",
  "b.io:5000",
  "docker.io",
  "Index.Docker.io",
  "registry-1.docker.io",
  "a.io:443",
  "nul.io",
);
const path = fc.constantFrom("", "/x", "/x/y", "/y");
const place = fc.tuple(host, path).map(([name, tail]) => `${name}${tail}`);
const text = fc.oneof(
  { weight: 12, arbitrary: place },
  { weight: 1, arbitrary: fc.constantFrom("*.io", "a.io/x:v1", "x://a.io") },
);
const rule: fc.Arbitrary<MirrorRule> = fc
  .record({
    number: fc.nat(3),
    source: text,
    prefix: fc.constantFrom("", "/x", "/hub"),
    hosts: fc.array(host, { maxLength: 3 }),
    others: fc.array(text, { maxLength: 1 }),
    policy: fc.constantFrom("AllowContactingSource", "NeverContactSource"),
    pulls: fc.constantFrom("digest", "tag"),
  })
  .map(({ number, source, prefix, hosts, others, policy, pulls }) => ({
    object: `Set/${number}`,
    source,
    // Most mirrors end in the source's path, so that most sets can be expressed.
    mirrors: [...hosts.map((name) => `${name}${prefix}${source.replace(/^[^/]*/, "")}`), ...others],
    policy,
    pulls,
  }));
const rules = fc.array(rule, { maxLength: 5 });
const registries = fc.array(text, { maxLength: 2 }).map((insecure) => ({ insecure, blocked: [], allowed: [] }));

interface Parsed {
  readonly server: string;
  readonly host: Readonly<Record<string, object>>;
}
const parsed = ({ text }: MirrorFile): Parsed => parse(text) as unknown as Parsed;
const urlsIn = (file: MirrorFile): readonly string[] => [...Object.keys(parsed(file).host), parsed(file).server];
const reachedBy = (url: string): ImageLocation => {
  const [, name = "", prefix = ""] = /^https?:\/\/([^/]+)\/v2\/?(.*)$/.exec(url) ?? [];
  return { host: name, path: prefix };
};

/** Places that the file asks although a line forbids them. The registry itself may be asked if no line of it forbids it. */
const trespassesOf = (file: MirrorFile, sources: ReturnType<typeof sourceRulesOf>): readonly ImageLocation[] =>
  urlsIn(file)
    .map(reachedBy)
    .filter((reached) => {
      const isSource = reached.path === "" && reached.host === serverOf(file.registry);
      return isSource ? file.forbidsSource : isForbidden(reached, sources) || holdsForbidden(reached, sources);
    });

describe("Files of any mirror sets", () => {
  it("always have a server, a table [host], and a folder that Windows has", () => {
    fc.assert(
      fc.property(rules, registries, (given, insecure) => {
        for (const file of mirrorsOf(given, insecure).files) {
          expect(Object.keys(parsed(file).host).length).toBeGreaterThan(0);
          expect(parsed(file).server).toMatch(/^https?:\/\/[^/]+\/v2(?:\/|$)/);
          expect(file.folder).toMatch(/^(?!nul)[a-z0-9.-]+(?:_\d+_)?$/);
        }
      }),
    );
  });

  it("never name what any line forbids, whatever the order of the lines", () => {
    fc.assert(
      fc.property(rules, registries, (given, insecure) => {
        const sources = sourceRulesOf(given);
        expect(mirrorsOf(given, insecure).files.flatMap((file) => trespassesOf(file, sources))).toEqual([]);
      }),
    );
  });

  it("forbid a registry that any line forbids", () => {
    fc.assert(
      fc.property(rules, (given) => {
        for (const { registry, forbidsSource } of mirrorsOf(given).files) {
          const own = given.filter(({ source }) => (locationOf(source) as ImageLocation).host === registry);
          expect(forbidsSource).toBe(own.some(({ policy }) => policy === "NeverContactSource"));
        }
      }),
    );
  });

  it("are the same for any order of the lines", () => {
    const shuffled = rules.chain((given) =>
      fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length })),
    );
    fc.assert(
      fc.property(shuffled, registries, ([given, other], insecure) => {
        expect(mirrorsOf(other, insecure)).toEqual(mirrorsOf(given, insecure));
      }),
    );
  });

  it("are not changed by a line of another registry", () => {
    fc.assert(
      fc.property(rules, (given) => {
        const { files } = mirrorsOf(given);
        const more: MirrorRule = {
          object: "Set/other",
          source: "other.example.com",
          mirrors: ["m.example.com"],
          policy: "AllowContactingSource",
          pulls: "tag",
        };
        const after = mirrorsOf([more, ...given]).files;
        expect(after.filter(({ registry }) => registry !== "other.example.com")).toEqual(files);
      }),
    );
  });

  it("are missing where a line is reported, and nowhere else", () => {
    fc.assert(
      fc.property(rules, (given) => {
        const { files, held, inexpressible } = mirrorsOf(given);
        expect(held.length > 0).toBe(inexpressible.some(({ registry }) => registry !== null));
        expect(files.filter(({ registry }) => held.some((one) => one.registry === registry))).toEqual([]);
      }),
    );
  });
});
