import type { Configuration } from "../../configuration.ts";
import type { Examination } from "../../messages/doctor.ts";
import type { Finding } from "../../messages/finding.ts";
import { instances } from "../instances.ts";
import { type Runtime, runtime } from "../runtime.ts";
import type { World } from "../world.ts";
import { accountChecks } from "./account.ts";
import { agentChecks } from "./agents.ts";
import { type Check, first, isolated, type Patient } from "./check.ts";
import { clusterChecks, clusterCredential } from "./cluster.ts";
import { credentialExpiry } from "./credential.ts";
import { okdChecks } from "./okd.ts";
import { rightsOf, type Tried } from "./rights.ts";
import { slackChecks, slackIdentity } from "./slack.ts";

/** One side of the world: its first check decides whether the others are worth asking. */
interface Side {
  readonly opening: Check | null;
  readonly checks: readonly Check[];
}

const sides: readonly Side[] = [
  { opening: slackIdentity, checks: slackChecks },
  // Each service of AWS's is down by itself.
  { opening: null, checks: [...accountChecks, ...agentChecks] },
  { opening: clusterCredential, checks: [...clusterChecks, ...okdChecks] },
];

const whatOf = (checks: readonly Check[]): string[] => checks.map(({ what }) => what);

async function examineSide({ opening, checks }: Side, patient: Patient): Promise<Examination> {
  const opened = opening ? await first(opening, patient) : { up: true, findings: [] };
  const refused = opened.findings.some(({ kind }) => kind === "credential-expired" || kind === "credential-refused");
  const openings = opening ? 1 : 0;
  if (!opened.up || refused) return { findings: opened.findings, looked: openings, skipped: whatOf(checks) };
  const found = await Promise.all(checks.map((check) => isolated(check, patient)));
  return { findings: [...opened.findings, ...found.flat()], looked: openings + checks.length, skipped: [] };
}

/** The same thing found by two checks is said once. */
const distinct = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values(),
];

/** Several examinations as one. */
export const together = (all: readonly Examination[]): Examination => ({
  findings: distinct(all.flatMap(({ findings }) => findings)),
  looked: all.reduce((sum, { looked }) => sum + looked, 0),
  skipped: all.flatMap(({ skipped }) => skipped),
});

/** Images by pool, as far as they can be resolved: those that cannot are a finding of another check. */
async function imagesOf(world: World, { pools }: Configuration): Promise<Record<string, string>> {
  const resolved = await Promise.allSettled(
    Object.entries(pools).map(async ([name, { windows }]) => [name, (await instances(world).image(windows)).imageId]),
  );
  return Object.fromEntries(resolved.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
}

/** Looks at everything and mends nothing. */
export const doctor = (world: World) => ({
  /**
   * Examines Slack, the account, the cluster and its nodes. Never throws: a side that is down is a finding.
   * @param known what the deployment should be; by whom it is asked
   */
  examine: async (known: Pick<Runtime, "configuration" | "payload">, by: string): Promise<Examination> => {
    const patient: Patient = { world, by, images: {}, ...known };
    return together(await Promise.all(sides.map((side) => examineSide(side, patient))));
  },

  images: (configuration: Configuration): Promise<Record<string, string>> => imagesOf(world, configuration),

  /** A function tries what its own role allows. */
  tryRights: async (by: Tried, images: Readonly<Record<string, string>>): Promise<Examination> => {
    const { configuration, payload } = await runtime(world).read(null);
    const patient: Patient = { world, by, images, configuration, payload };
    const found = await Promise.all(rightsOf[by].map((check) => isolated(check, patient)));
    return { findings: distinct(found.flat()), looked: rightsOf[by].length, skipped: [] };
  },

  /** When the cluster credential ends, for whatever looks at it by schedule: milliseconds since the epoch, null for never. */
  credentialExpiry: (): Promise<number | null> => credentialExpiry(world),
});
