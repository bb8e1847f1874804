import { sha256 } from "../../cluster/authorities.ts";
import { registriesSecret } from "../../cluster/registries-secret.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { payloadFile } from "../../machine/actions.ts";
import { registriesScript } from "../../machine/machine-paths.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import { cutOffText, exposedText, mirrorFaultText, unusedMirrorText } from "../../messages/mirrors/faults.ts";
import { profileOf } from "../../profiles/list.ts";
import type { SentInput } from "../../records/machine-record.ts";
import type { FoundObjects, Input, InputContent, InputFacts, ObjectReference, SecretFacts } from "../input.ts";
import { confirmedPaths, refuseEmptied, removedPaths, sentFiles } from "../sent-files.ts";
import { readsOf, textOfKey } from "../sources.ts";
import { credentialHosts } from "./credentials.ts";
import { isRenewal } from "./ecr.ts";
import { folderNamed, isRenewed, mirrorActions, mirrorTexts } from "./machine-files.ts";
import { registrySourcesOf, servedRules } from "./mirror-sets.ts";
import { type CutOff, cutOffImages, isHeld, type MirrorFile, type Mirrors, mirrorsOf } from "./mirrors.ts";
import { mirrorsFile } from "./mirrors-file.ts";

const config = { group: "config.openshift.io", version: "v1" } as const;

/** The kinds of OpenShift from which mirrors follow, in the order in which `mirrorsFrom` takes them. */
const served: readonly ObjectReference[] = [
  { ...config, plural: "imagedigestmirrorsets", kind: "ImageDigestMirrorSet" },
  { ...config, plural: "imagetagmirrorsets", kind: "ImageTagMirrorSet" },
  {
    group: "operator.openshift.io",
    version: "v1alpha1",
    plural: "imagecontentsourcepolicies",
    kind: "ImageContentSourcePolicy",
  },
  { ...config, plural: "images", kind: "Image", name: "cluster" },
];

/**
 * Reads the mirror sets of a cluster.
 * @param found objects of each reference of `reads`
 * @param secret what is known of the registries' credentials
 * @throws Refused that names the object and the field of a wrong value
 */
export function mirrorsFrom(
  found: FoundObjects,
  configuration: Pick<Configuration, "cluster">,
  secret: SecretFacts | undefined,
): Mirrors {
  const credentials = credentialHosts(secret?.description ?? "");
  const source = textOfKey(found, configuration, "mirrors.yaml");
  if (source !== null) return mirrorsOf(mirrorsFile(source.text, source.from), undefined, credentials);
  const [digest = [], tag = [], policies = [], [image] = []] = found;
  const rules = [
    ...servedRules("ImageDigestMirrorSet", digest),
    ...servedRules("ImageTagMirrorSet", tag),
    ...servedRules("ImageContentSourcePolicy", policies),
  ];
  return mirrorsOf(rules, registrySourcesOf(image), credentials);
}

const keeps = ({ keptPaths = [], held = [], files }: InputContent, path: string): boolean =>
  keptPaths.includes(path) ||
  (files.every((file) => file.path !== path) &&
    isHeld(folderNamed(path), { files: [], held: held.map((registry) => ({ registry })) }));

/** @throws Refused if every mirror set is gone at once, which a person has not asked for */
function checkMirrorsLeft({ files, held }: Mirrors, facts: InputFacts): void {
  const had = [...confirmedPaths(facts.given)].filter((path) => !isRenewal(path));
  if (files.length > 0 || held.length > 0 || had.length === 0) return;
  const registries = had.length === 1 ? "one registry" : `${had.length} registries`;
  refuseEmptied(facts, `the cluster has no mirror set any more, but nodes have the files of ${registries}`);
}

/** Does a file forbid a registry that a machine may contact today? */
function isNewlyForbidding({ files }: Mirrors, { given }: InputFacts): boolean {
  const forbidding = files.filter(({ forbidsSource }) => forbidsSource);
  const hasAll = (sent: SentInput): boolean => {
    const hashes = new Set(sentFiles(sent).has.map((file) => file.sha256));
    return forbidding.every((file) => hashes.has(file.sha256));
  };
  return forbidding.length > 0 && (given.length === 0 || !given.every(hasAll));
}

/** Key by which a person's acceptance holds: for these sources of the registry. */
const keyOfCut = ({ registry, forbidden }: CutOff): string => `${registry}: ${forbidden.join(", ")}`;

/**
 * The cluster's registry mirrors: a hosts.toml for each registry. containerd reads the files at every pull, so that no
 * service restarts. Files that forbid a source come first, then the others, removals last: no pull in between reaches a
 * registry that it must not contact.
 */
export const mirrorsInput: Input & { readonly name: "mirrors" } = {
  name: "mirrors",
  rule: "mirrors",
  request: { command: "reconcile", targets: { kind: "all" }, dryRun: false },
  identityOf: (files, held = []) => {
    const named = files.map(({ path, text, secret }) => (secret ? [path, text, secret.version] : [path, text]));
    return sha256(JSON.stringify([...named, ...(held.length > 0 ? [held] : [])]));
  },
  reads: readsOf(served),
  secretOf: ({ cluster }) => registriesSecret(cluster.name),
  content: (found, facts) => {
    const wanted = mirrorsFrom(found, facts.configuration, facts.secret);
    checkMirrorsLeft(wanted, facts);
    if (facts.images === null && isNewlyForbidding(wanted, facts)) return "images";
    const asked = cutOffImages(wanted, facts.images ?? []).filter((cut) => !facts.accepted.includes(keyOfCut(cut)));
    const open = new Set(asked.map(({ registry }) => registry));
    if (facts.payload === null && wanted.files.some(isRenewed)) return "payload";
    const script = facts.payload?.find(({ path }) => path === registriesScript);
    const { registryFile } = profileOf(facts.configuration);
    // A release that is still being deployed has no script: until then the registries keep their files.
    const isReady = (file: MirrorFile): boolean => script !== undefined || !isRenewed(file);
    const applied = wanted.files
      .filter((file) => !open.has(file.registry) && isReady(file))
      .toSorted((one, other) => Number(other.forbidsSource) - Number(one.forbidsSource))
      .map(({ registry, ...file }) => ({ host: registry, path: registryFile(file.folder), ...file }));
    const files = mirrorTexts(applied, facts.secret, script);
    const remarks = [
      ...wanted.inexpressible.map(mirrorFaultText),
      ...wanted.unused.map(unusedMirrorText),
      ...asked.map(cutOffText),
    ];
    const exposed = wanted.held.find(({ forbidsSource }) => forbidsSource);
    const waiting = wanted.files.filter((file) => !isReady(file)).map(({ registry }) => registry);
    const held = [...new Set([...wanted.held.map(({ registry }) => registry), ...open, ...waiting])];
    return {
      sha256: mirrorsInput.identityOf(files, held),
      files,
      held,
      registries: applied.map(({ host, path, signsIn }) => ({ host, path, ...(signsIn ? { signsIn } : {}) })),
      ...(script && files.some(({ path }) => isRenewal(path))
        ? { scripts: [payloadFile(facts.configuration.bucket, script)] }
        : {}),
      remarks,
      asked: asked.map(keyOfCut),
      ...(exposed ? { refusesNew: exposedText(exposed.registry) } : {}),
    };
  },
  actions: (content, sent) =>
    mirrorActions(
      content,
      sent,
      removedPaths(content, sent, (path) => keeps(content, path)),
    ),
  shows: ({ files }) => files.map(({ path }) => path).filter((path) => !isRenewal(path)),
  keeps,
  isWithout: ({ files }) => files.length === 0,
  comparedFile: () => null,
  proof: "pull",
  isUndone: true,
  retryHours: { change: 1, proof: null },
  waitsForStops: true,
  words: {
    kind: "mirrors",
    noun: "mirrors",
    title: "Registry mirrors",
    explains: "The cluster's mirror sets changed; containerd reads the new files at the next pull, without a restart.",
    failed: "Registry mirrors could not be written",
    consequence: "A node that failed pulls as before from each registry whose file was not written.",
    runbook: "docs/runbook.md#registry-mirrors",
    next: `${typeThis("mirrors")} shows every registry`,
    unread: "Registry mirrors cannot be kept up to date",
    meanwhile: "Nodes keep the files that they have.",
    readAgain: "Registry mirrors are kept up to date again.",
    change: "write the registries' files",
    emptied: "Files that Casement wrote before would be removed.",
    written: "mirrors written",
    left: "the node pulls as before, or by the files that it has; {win} mirrors shows it",
  },
};
