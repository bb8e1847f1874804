import type { V1Node } from "@kubernetes/client-node";
import { BUILD_LABEL } from "../../cluster/node-keys.ts";
import { releaseOfBuild } from "../../machine/windows-builds.ts";

/**
 * A node's Windows release as people name it: its build if the release is not known, null if the node does not report
 * it.
 */
export function releaseOf({ metadata }: V1Node): string | null {
  const build = metadata?.labels?.[BUILD_LABEL];
  if (build === undefined) return null;
  const release = releaseOfBuild(build);
  return release ? `Windows Server ${release}` : `Windows build ${build}`;
}
