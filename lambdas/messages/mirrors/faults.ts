import type { MirrorFault, MirrorFaultReason, UnusedMirror } from "../../inputs/mirrors/mirror-lines.ts";

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
  const kept = registry === null ? "" : ` Nodes keep their file of ${registry} as it is.`;
  return `${object}: ${what} cannot be expressed for containerd: ${reasons[reason]}.${kept}`;
}

/** Sentence on a mirror that no node asks. */
export const unusedMirrorText = ({ object, source, mirror }: UnusedMirror): string =>
  `${object}: ${mirror}, mirror of ${source}, is left out, because another mirror set forbids it.`;
