import type { Configuration } from "../../configuration/configuration.ts";
import type { Failure } from "../../records/failures.ts";
import { stageName } from "./stages.ts";

/** Facts of a deployment that an operation's message needs for its links. */
export interface MessageSettings {
  readonly region: string;
  /** Address of the runbook; null when the configuration names none. */
  readonly runbook: string | null;
}

/** Picks the settings of the messages from the configuration. */
export const messageSettings = ({
  cluster: { region },
  runbook,
}: Pick<Configuration, "runbook"> & {
  readonly cluster: Pick<Configuration["cluster"], "region">;
}): MessageSettings => ({ region, runbook: runbook ?? null });

/** Anchor that GitHub and GitLab give a heading: lower case, hyphens for spaces, without punctuation. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");

/** Address of a stage's section in the runbook; null when the configuration names no runbook. */
export const runbookLink = ({ runbook }: MessageSettings, { stage }: Pick<Failure, "stage">): string | null =>
  runbook === null ? null : `${runbook}#${anchorOf(`Stage: ${stageName(stage)}`)}`;

/** Domains of the console by the beginning of the region's name (AWS General Reference, "AWS service endpoints"). */
const consoles: readonly (readonly [string, string])[] = [
  ["cn-", "console.amazonaws.cn"],
  ["us-gov-", "console.amazonaws-us-gov.com"],
  ["", "console.aws.amazon.com"],
];

const consoleOf = (region: string): string => consoles.find(([beginning]) => region.startsWith(beginning))?.[1] ?? "";

/** Address of an instance's page in the console; its button "Connect" opens Session Manager. */
export const instanceLink = ({ region }: MessageSettings, instanceId: string): string =>
  `https://${region}.${consoleOf(region)}/ec2/home?region=${region}#InstanceDetails:instanceId=${instanceId}`;
