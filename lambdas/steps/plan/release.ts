import type { V1Node } from "@kubernetes/client-node";
import { BUILD_LABEL } from "../../desired/node-keys.ts";
import { releaseOfBuild } from "../../desired/windows-builds.ts";

/** Windows release of a node, as people call it; its build where that is not known, null where the node does not say. */
export function releaseOf({ metadata }: V1Node): string | null {
  const build = metadata?.labels?.[BUILD_LABEL];
  if (build === undefined) return null;
  const release = releaseOfBuild(build);
  return release ? `Windows Server ${release}` : `Windows build ${build}`;
}
