import { templateHash } from "../../machine/actions.ts";
import { hostsToml } from "./hosts-toml.ts";
import { insecureRegistries } from "./insecure-registries.ts";
import { isInside, registryMeant, registryOfFolder, repositoryOf } from "./location.ts";
import { type MirrorFault, type MirrorLine, mirrorLine, type UnusedMirror } from "./mirror-lines.ts";
import type { MirrorRule, RegistrySources } from "./mirror-sets.ts";
import { type RegistryHosts, type RegistrySource, registryHosts, type WidenedMirror } from "./registries.ts";
import { isForbidden, isForbidding, scopeOf, sourceRulesOf } from "./surroundings.ts";

/** The hosts.toml of one registry. */
export interface MirrorFile {
  readonly registry: string;
  /** Name of its folder below containerd's config_path. */
  readonly folder: string;
  readonly text: string;
  /** Hash of the text with empty holes, as records have it. */
  readonly sha256: string;
  /** Hosts of the file that get a credential. */
  readonly credentials: readonly string[];
  /** Does every host of the file get a credential? */
  readonly signsIn: boolean;
  /** Is the registry itself never asked? */
  readonly forbidsSource: boolean;
  /** Is a host reached without a verified certificate, and by HTTP if it has no HTTPS? */
  readonly isUnencrypted: boolean;
  /** Sources of the mirror sets, sorted; empty for a registry that is only insecure. */
  readonly sources: readonly RegistrySource[];
}

/** A registry, or a wildcard of registries, with a line that containerd cannot follow. */
export interface HeldRegistry {
  readonly registry: string;
  /** Does a line forbid the source? A machine without a file of this registry contacts it all the same. */
  readonly forbidsSource: boolean;
}

/**
 * Files of containerd for the mirror sets and the image configuration of a cluster, and what they cannot hold. The order
 * of objects has no influence.
 */
export interface Mirrors {
  /** The files that machines must have. */
  readonly files: readonly MirrorFile[];
  /** Machines keep the files that they have for these registries, as long as `files` has none. */
  readonly held: readonly HeldRegistry[];
  readonly inexpressible: readonly MirrorFault[];
  /** Mirrors that are asked for more than their source. */
  readonly widened: readonly WidenedMirror[];
  /** Mirrors that are left out, because they lie in a source that must not be contacted. */
  readonly unused: readonly UnusedMirror[];
  /** Hosts with a credential that no file uses, sorted. */
  readonly unusedCredentials: readonly string[];
  /** Lists of the image configuration that Windows nodes do not hold. */
  readonly unenforced: Pick<RegistrySources, "blocked" | "allowed">;
}

const none: RegistrySources = { insecure: [], blocked: [], allowed: [] };

/** Sorts by content. */
const sorted = <T>(values: readonly T[]): readonly T[] =>
  values.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

const fileOf = ({ registry, folder, forbidsSource, sources, hosts }: RegistryHosts): MirrorFile => {
  const text = hostsToml(hosts);
  const credentials = [...new Set(hosts.flatMap(({ credential }) => credential ?? []))];
  const isUnencrypted = hosts.some(({ skipsVerification }) => skipsVerification);
  const signsIn = hosts.every(({ credential }) => credential !== undefined);
  const sha256 = templateHash(text);
  return { registry, folder, text, sha256, credentials, signsIn, forbidsSource, isUnencrypted, sources };
};

/** Does a registry need a file? Without mirrors, containerd reaches a registry with a certificate as it should. */
const needsFile = ({ forbidsSource, hosts }: RegistryHosts): boolean => forbidsSource || hosts.length > 1;

/** The lines that forbid a source all of whose mirrors are forbidden too. */
const faultsWithoutHosts = (hosts: RegistryHosts, lines: readonly MirrorLine[]): readonly MirrorFault[] =>
  hosts.hosts.length > 0
    ? []
    : lines
        .filter(({ rule }) => isForbidding(rule))
        .map(({ rule: { object, source } }) => ({
          registry: hosts.registry,
          object,
          source,
          mirror: null,
          reason: "forbidden-mirrors",
        }));

/** Is a registry one of these, or inside one of these wildcards? */
const isOneOf = (registry: string, hosts: readonly string[]): boolean =>
  hosts.some((host) => isInside({ host: registry, path: "" }, { host, path: "" }));

const registriesIn = (faults: readonly MirrorFault[]): readonly string[] => [
  ...new Set(faults.flatMap(({ registry }) => registry ?? [])),
];

const heldBy = (faults: readonly MirrorFault[], rules: readonly MirrorRule[]): readonly HeldRegistry[] => {
  const forbidden = rules.filter(isForbidding).flatMap(({ source }) => registryMeant(source) ?? []);
  return registriesIn(faults)
    .toSorted()
    .map((registry) => ({ registry, forbidsSource: isOneOf(registry, forbidden) }));
};

/**
 * Translates mirror sets into containerd's files. What containerd cannot do is reported and never approximated: the
 * whole registry is then left as it is.
 * @param rules lines of all mirror sets; their order has no influence
 * @param credentials hosts with a credential
 */
export function mirrorsOf(
  rules: readonly MirrorRule[],
  registries: RegistrySources = none,
  credentials: readonly string[] = [],
): Mirrors {
  const insecure = insecureRegistries(registries.insecure);
  const surroundings = { sources: sourceRulesOf(rules), insecure: insecure.scopes };
  const read = rules.map((rule) => mirrorLine(rule, surroundings));
  const lines = read.flatMap((line) => ("rule" in line ? [line] : []));
  const lineFaults = read.flatMap((line) => ("rule" in line ? [] : line));
  const names = new Set([...lines.map(({ source }) => source.host), ...insecure.registries]);
  // An insecure wildcard is followed where a mirror set names the registry. It holds those of which nothing is known.
  const inFault = registriesIn([...lineFaults, ...insecure.faults.filter(({ reason }) => reason !== "wildcard")]);
  const reached = [...names]
    .toSorted()
    .filter((registry) => !isOneOf(registry, inFault))
    .map((registry) => {
      const own = lines.filter(({ source }) => source.host === registry);
      const hosts = registryHosts(registry, own, { insecure: insecure.scopes, credentials });
      return { hosts, faults: faultsWithoutHosts(hosts, own) };
    });
  const faults = [...lineFaults, ...insecure.faults, ...reached.flatMap(({ faults }) => faults)];
  const known = reached.map(({ hosts }) => hosts).filter(({ hosts }) => hosts.length > 0);
  const files = known.filter(needsFile).map(fileOf);
  const used = new Set(files.flatMap((file) => file.credentials));
  return {
    files,
    held: heldBy(faults, rules),
    inexpressible: sorted(faults),
    widened: known.flatMap(({ widened }) => widened),
    unused: sorted(lines.flatMap(({ unused }) => unused)),
    unusedCredentials: credentials.filter((host) => !used.has(host)).toSorted(),
    unenforced: { blocked: registries.blocked.toSorted(), allowed: registries.allowed.toSorted() },
  };
}

/** Does a machine keep the folder of a registry that has no file? */
export const isHeld = (
  folder: string,
  {
    files,
    held,
  }: {
    readonly files: readonly Pick<MirrorFile, "folder">[];
    readonly held: readonly Pick<HeldRegistry, "registry">[];
  },
): boolean =>
  files.every((file) => file.folder !== folder) &&
  isOneOf(
    registryOfFolder(folder),
    held.map(({ registry }) => registry),
  );

/** Images in use that a registry's file would cut off from their source. */
export interface CutOff {
  readonly registry: string;
  /** Sources that must not be contacted. */
  readonly forbidden: readonly string[];
  /** Sorted, as they are written. */
  readonly images: readonly string[];
}

/**
 * Lists images that the cluster allows to be pulled from their source, and that Windows nodes could not pull from it
 * any more: for containerd a forbidden repository forbids its whole registry.
 * @param images images of the pods on Windows nodes
 */
export function cutOffImages({ files }: Pick<Mirrors, "files">, images: readonly string[]): readonly CutOff[] {
  const known = [...new Set(images)].toSorted().map((image) => ({ image, repository: repositoryOf(image) }));
  return files
    .filter(({ forbidsSource }) => forbidsSource)
    .map(({ registry, sources }) => {
      const rules = sources.flatMap(({ source, isForbidden: forbids }) => {
        const scope = scopeOf(source);
        return scope ? [{ scope, forbids }] : [];
      });
      const cut = known.filter(({ repository }) => repository?.host === registry && !isForbidden(repository, rules));
      return {
        registry,
        forbidden: sources.filter((source) => source.isForbidden).map(({ source }) => source),
        images: cut.map(({ image }) => image),
      };
    })
    .filter(({ images }) => images.length > 0);
}
