import type { MirrorFault, MirrorFaultReason, UnusedMirror } from "../../inputs/mirrors/mirror-lines.ts";
import type { CutOff } from "../../inputs/mirrors/mirrors.ts";
import { some } from "../slack/text.ts";

const reasons: Readonly<Record<MirrorFaultReason, string>> = {
  scheme: "it has a scheme",
  tag: "it has a tag, but containerd's mirrors hold for a whole registry",
  digest: "it has a digest, but containerd's mirrors hold for a whole registry",
  wildcard: "it is a wildcard, and containerd has one file for each registry",
  name: "it is not the name of a repository",
  "no-registry": "no image name begins with it",
  folder: "Windows has no folder of this name",
  path: "it does not end in the source's path, which containerd always appends",
  "no-mirror": "the source must not be contacted, and no mirror is named",
  "source-is-mirror": "the source must not be contacted, and it is one of its own mirrors",
  "forbidden-mirrors": "the source must not be contacted, nor may any of its mirrors",
  "forbidden-part": "nodes would also ask the mirror for repositories that another mirror set forbids",
  "insecure-part": "only a part of the registry is insecure, and containerd knows registries only",
};

/** Sentence on a line of a mirror set that containerd cannot follow. */
export function mirrorFaultText({ object, source, mirror, reason, registry }: MirrorFault): string {
  const what = mirror === null ? source : `${mirror}, mirror of ${source}`;
  const file = registry?.startsWith("*.") ? "file of each registry that it covers" : `file of ${registry}`;
  const kept = registry === null ? "" : ` Nodes keep the ${file} if they have one.`;
  return `${object}: ${what} cannot be expressed for containerd: ${reasons[reason]}.${kept}`;
}

/** Most images in one sentence. */
const MOST_IMAGES = 4;

/** Question whether a registry may be forbidden although pods on Windows nodes use other images of it. */
export const cutOffText = ({ registry, forbidden, images }: CutOff): string =>
  `${some(forbidden, 3)} must not be contacted, and containerd would then contact nothing of ${registry}. Pods on Windows nodes use ${some(images, MOST_IMAGES)}, which could no longer be pulled from there. Nodes keep their file of ${registry}; mirror these images too, or type {win} reconcile to forbid the registry all the same.`;

/** Reason why a machine without files must not join. */
export const exposedText = (registry: string): string =>
  `${registry} must not be contacted, but a mirror of it cannot be expressed for containerd ({win} mirrors ${registry} says why): a new machine would contact it`;

/** Sentence on hosts whose credentials no node gets. */
export const unusedCredentialsText = (hosts: readonly string[]): string =>
  `No node uses the credentials of ${some(hosts, 8)}: no mirror set names the registry, or it is insecure.`;

/** Sentence on a mirror that no node asks. */
export const unusedMirrorText = ({ object, source, mirror }: UnusedMirror): string =>
  `${object}: ${mirror}, mirror of ${source}, is left out, because another mirror set forbids it.`;
