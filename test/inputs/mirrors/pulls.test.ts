import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ImageLocation, isInside, locationOf } from "../../../lambdas/inputs/mirrors/location.ts";
import type { MirrorRule } from "../../../lambdas/inputs/mirrors/mirror-sets.ts";
import { isHeld, type Mirrors, mirrorsOf } from "../../../lambdas/inputs/mirrors/mirrors.ts";
import { isForbidden, sourceRulesOf } from "../../../lambdas/inputs/mirrors/surroundings.ts";
import { pull } from "../../../lib/sandbox/registries/pull.ts";
import { byDigest, byTag, never } from "./rules.ts";

/** Repositories that containerd asks for an image, in order, while no registry has it. */
function askedFor(image: string, { files }: Mirrors, version: string): readonly string[] {
  const { exchanges } = pull({
    files: Object.fromEntries(files.map(({ folder, text }) => [`${folder}/hosts.toml`, Buffer.from(text)])),
    isWindows: true,
    root: "C:/k/containerd/registries",
    image,
    version,
    ask: () => ({ status: 404 }),
  });
  const asked = exchanges.map(({ request }) => {
    const { host, pathname } = new URL(request.url);
    return `${host}${pathname.replace(/^\/v2/, "").replace(/\/(?:manifests|blobs)\/[^/]*$/, "")}`;
  });
  return [...new Set(asked)];
}

const located = (text: string): ImageLocation => locationOf(text) as ImageLocation;

/** Mirrors that a Linux node asks for a repository: those of the lines with the closest source (containers/image). */
function linuxMirrors(repository: string, pulls: MirrorRule["pulls"], rules: readonly MirrorRule[]): readonly string[] {
  const around = rules
    .filter(({ source, mirrors }) => mirrors.some((mirror) => mirror !== source))
    .filter(({ source }) => isInside(located(repository), located(source)));
  const closest = Math.max(...around.map(({ source }) => source.length));
  return around
    .filter(({ source, pulls: own }) => source.length === closest && own === pulls)
    .flatMap(({ source, mirrors }) => mirrors.map((mirror) => mirror + repository.slice(source.length)))
    .filter((mirror) => !isForbidden(located(mirror), sourceRulesOf(rules)));
}

const host = fc.constantFrom("a.io", "b.io:5000", "c.io");
const source = fc.tuple(host, fc.constantFrom("", "/x", "/x/y")).map((parts) => parts.join(""));
const rule: fc.Arbitrary<MirrorRule> = fc
  .record({
    source,
    mirrors: fc.array(fc.tuple(host, fc.constantFrom("", "/hub")), { maxLength: 3 }),
    forbids: fc.boolean(),
    isByTag: fc.boolean(),
  })
  .map(({ source: of, mirrors, forbids, isByTag }) => {
    const names = mirrors.map((mirror) => `${mirror.join("")}${of.replace(/^[^/]*/, "")}`);
    const made = isByTag ? byTag(of, names) : byDigest(of, names);
    return forbids ? never(made) : made;
  });
const rules = fc.array(rule, { minLength: 1, maxLength: 4 });
const repository = fc.tuple(host, fc.constantFrom("/x/y", "/x/z", "/w")).map((parts) => parts.join(""));
const versions = ["1.7.26", "1.7.27", "2.1.9"] as const;
const pulls = fc.constantFrom("digest", "tag");
const digest = `@sha256:${"0".repeat(64)}`;

const imageOf = (of: string, by: MirrorRule["pulls"]): string => `${of}${by === "tag" ? ":v1" : digest}`;
const isHeldFor = (of: string, mirrors: Mirrors): boolean =>
  isHeld(located(of).host.replace(/:(\d+)/, "_$1_"), mirrors);

describe.each(versions)("containerd %s with the files of any mirror sets", (version) => {
  it("asks each mirror that a Linux node asks", () => {
    fc.assert(
      fc.property(rules, repository, pulls, (given, of, by) => {
        const mirrors = mirrorsOf(given);
        fc.pre(!isHeldFor(of, mirrors));
        const asked = askedFor(imageOf(of, by), mirrors, version);
        // A registry with a forbidden part is never asked itself, not even where a line names it as a mirror of itself; a mirror that is left out is reported.
        const own = mirrors.files.find(({ registry }) => registry === located(of).host);
        const wanted = linuxMirrors(of, by, given).filter(
          (mirror) =>
            (!own?.forbidsSource || located(mirror).host !== own.registry) &&
            !mirrors.unused.some((unused) => isInside(located(mirror), located(unused.mirror))),
        );
        expect(asked).toEqual(expect.arrayContaining(wanted));
      }),
    );
  });

  it("asks no registry for what a line forbids", () => {
    fc.assert(
      fc.property(rules, repository, pulls, (given, of, by) => {
        const mirrors = mirrorsOf(given);
        fc.pre(!isHeldFor(of, mirrors));
        const forbidden = askedFor(imageOf(of, by), mirrors, version).filter((asked) =>
          isForbidden(located(asked), sourceRulesOf(given)),
        );
        expect(forbidden).toEqual([]);
      }),
    );
  });
});

it("A tag of a source that is mirrored by digest alone, and forbidden, is refused without a request", () => {
  const mirrors = mirrorsOf([never(byDigest("a.io", ["m.io/hub"]))]);
  expect(askedFor("a.io/x:v1", mirrors, "1.7.27")).toEqual([]);
  expect(askedFor(`a.io/x${digest}`, mirrors, "1.7.27")).toEqual(["m.io/hub/x"]);
});
