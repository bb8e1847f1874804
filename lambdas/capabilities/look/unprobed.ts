import type { LastProbe } from "../../health/probed-node.ts";
import { noProbeImage } from "../../messages/health/network-troubles.ts";
import { between } from "../../messages/slack/age.ts";
import { code } from "../../messages/slack/text.ts";

/** Facts that decide whether a node is probed by schedule. */
export interface ProbeConditions {
  readonly hasLinuxImage: boolean;
  /** Release of its Windows; undefined where it is not known. */
  readonly windows: string | undefined;
  readonly hasImage: boolean;
  /** Name of the pool that says `probe: false`; null for any other. */
  readonly poolOff: string | null;
  readonly isActedFor: boolean;
  readonly isReady: boolean;
  readonly isCordoned: boolean;
}

const because = (of: ProbeConditions): string | null => {
  if (!of.hasLinuxImage) return noProbeImage("Linux");
  if (of.windows === undefined) return "the release of its Windows is not known";
  if (!of.hasImage) return noProbeImage(of.windows);
  if (of.poolOff !== null) return `its pool ${code(of.poolOff)} has ${code("probe: false")}`;
  if (!of.isActedFor) return "Casement neither launched nor assists its machine";
  if (!of.isReady) return "it is not Ready";
  return of.isCordoned ? "it is cordoned" : null;
};

/**
 * Says why nothing is known of a node's data plane, in words that follow "not probed:".
 * @param now ISO 8601
 */
export function unprobedWords(last: Exclude<LastProbe, { state: "known" }>, of: ProbeConditions, now: string): string {
  const why = because(of);
  const since = last.state === "none" ? "" : `the last probe was ${between(last.at, now)} ago`;
  const seen = last.state === "other-boot" ? `${since}, before its last boot` : since;
  return [why ?? (seen ? "" : "its turn has not come yet"), seen].filter((part) => part !== "").join("; ");
}
