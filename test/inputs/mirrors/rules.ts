import type { MirrorRule } from "../../../lambdas/inputs/mirrors/mirror-sets.ts";
import { type Mirrors, mirrorsOf } from "../../../lambdas/inputs/mirrors/mirrors.ts";

type Line = Pick<MirrorRule, "source" | "mirrors"> & Partial<MirrorRule>;

/** A line of an ImageDigestMirrorSet. */
export const byDigest = (source: string, mirrors: string[], more: Partial<Line> = {}): MirrorRule => ({
  object: "ImageDigestMirrorSet/web",
  source,
  mirrors,
  policy: "AllowContactingSource",
  pulls: "digest",
  ...more,
});

/** A line of an ImageTagMirrorSet. */
export const byTag = (source: string, mirrors: string[], more: Partial<Line> = {}): MirrorRule =>
  byDigest(source, mirrors, { object: "ImageTagMirrorSet/web", pulls: "tag", ...more });

/** A line that forbids its source. */
export const never = (rule: MirrorRule): MirrorRule => ({ ...rule, policy: "NeverContactSource" });

/** Insecure registries of the image configuration. */
export const insecure = (...registries: string[]) => ({ insecure: registries, blocked: [], allowed: [] });

/** The files of these lines: registry and text. */
export const textsOf = ({ files }: Mirrors): Readonly<Record<string, string>> =>
  Object.fromEntries(files.map(({ registry, text }) => [registry, text]));

/** URLs that one registry's file names, in the order in which they are asked. */
export function urlsOf(mirrors: Mirrors, registry: string): readonly string[] {
  const text = textsOf(mirrors)[registry] ?? "";
  const [server = ""] = [...text.matchAll(/^server = "(.*)"$/gm)].map(({ 1: url }) => url);
  const hosts = [...text.matchAll(/^\[host\."(.*)"\]$/gm)].map(({ 1: url }) => url ?? "");
  return hosts.includes(server) ? hosts : [...hosts, server];
}

/** Registries that are left as they are. */
export const heldIn = ({ held }: Mirrors): readonly string[] => held.map(({ registry }) => registry);

/** Faults as "registry reason", with the mirror if it is one's. */
export const faultsIn = (...rules: MirrorRule[]): readonly string[] =>
  mirrorsOf(rules).inexpressible.map(({ registry, reason, mirror }) =>
    [registry, reason, mirror].filter((part) => part !== null).join(" "),
  );
