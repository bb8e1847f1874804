import type { Configuration } from "../../configuration/configuration.ts";
import type { Examination } from "../../messages/doctor/doctor.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import { profileOf } from "../../profiles/list.ts";
import type { Profile } from "../../profiles/profile.ts";
import { isBusy, lacksCredentials, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { instances } from "../ec2/instances.ts";
import { type ReleaseDocument, runtime } from "../runtime.ts";
import { accountChecks } from "./account.ts";
import { agentChecks } from "./agents.ts";
import { auditCopies } from "./audit.ts";
import { awsAway, type DoctorCheck, type DoctorFacts, type DoctorSubject, first, isolated } from "./check.ts";
import { accessChecks, clusterChecks, clusterCredential } from "./cluster.ts";
import { ages } from "./credential.ts";
import { sharedRecords } from "./input-facts.ts";
import { mirrorsCheck } from "./mirrors.ts";
import { nodeIdentities } from "./nodes/node-identities.ts";
import { otherMachines } from "./nodes/other-machines.ts";
import { probeRound } from "./nodes/probe-round.ts";
import { nodesReady } from "./nodes/readiness.ts";
import { seenNodes } from "./nodes/seen-nodes.ts";
import { unregisteredMachines } from "./nodes/unregistered-machines.ts";
import { profileChecksOf } from "./profile-checks.ts";
import { proxyCheck } from "./proxy.ts";
import { type RightsHolder, rightsOf, triesAccount } from "./rights.ts";
import { rulesCheck } from "./rules.ts";
import { slackChecks, slackIdentity } from "./slack.ts";
import { trustedAuthoritiesCheck } from "./trusted-authorities.ts";

/** A group of checks (Slack, AWS, the cluster); its first check decides whether the others run. */
interface Side<Of extends DoctorSubject> {
  readonly opening: DoctorCheck<Of> | null;
  readonly checks: readonly DoctorCheck<Of>[];
}

/** Checks of what the cluster gives to nodes. */
function inputChecks(): readonly DoctorCheck[] {
  const read = sharedRecords();
  return [mirrorsCheck(read), trustedAuthoritiesCheck(read), proxyCheck(read)];
}

const sidesOf = (profile: Profile): readonly Side<DoctorFacts>[] => [
  { opening: slackIdentity, checks: slackChecks },
  // AWS services fail independently of each other.
  { opening: null, checks: [...accountChecks, auditCopies, rulesCheck, ...agentChecks] },
  {
    opening: clusterCredential,
    checks: [
      ...clusterChecks,
      unregisteredMachines,
      nodesReady,
      nodeIdentities,
      otherMachines,
      seenNodes,
      probeRound,
      ...inputChecks(),
      ...profileChecksOf(profile),
    ],
  },
];

const whatOf = (checks: readonly { readonly what: string }[]): string[] => checks.map(({ what }) => what);

/** With one of these findings, the other checks of its side are skipped. */
const CLOSED: ReadonlySet<Finding["kind"]> = new Set([
  "credential-expired",
  "credential-refused",
  "credential-unusable",
  "slack-credential",
  "down",
]);

const isClosed = (findings: readonly Finding[]): boolean => findings.some(({ kind }) => CLOSED.has(kind));

async function examineSide<Of extends DoctorSubject>({ opening, checks }: Side<Of>, patient: Of): Promise<Examination> {
  const opened = opening ? await first(opening, patient) : { up: true, findings: [] };
  const refused = isClosed(opened.findings);
  const openings = opening ? 1 : 0;
  if (!opened.up || refused) return { findings: opened.findings, looked: openings, skipped: whatOf(checks) };
  const found = await Promise.all(checks.map((check) => isolated(check, patient)));
  return { findings: [...opened.findings, ...found.flat()], looked: openings + checks.length, skipped: [] };
}

/** Removes duplicates, if two checks find the same thing. */
const distinct = (findings: readonly Finding[]): Finding[] => [
  ...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values(),
];

/** Merges several examinations into one. */
export const together = (all: readonly Examination[]): Examination => ({
  findings: distinct(all.flatMap(({ findings }) => findings)),
  looked: all.reduce((sum, { looked }) => sum + looked, 0),
  // Each account skips its own checks of the same names.
  skipped: [...new Set(all.flatMap(({ skipped }) => skipped))],
  credentials: all.flatMap(({ credentials = [] }) => credentials),
});

/** Reads the image of each pool; a pool whose image cannot be read is left out, and another check reports it. */
async function imagesOf(context: StepContext, configuration: Configuration): Promise<Record<string, string>> {
  const { imageParameter } = profileOf(configuration);
  const resolved = await Promise.allSettled(
    Object.entries(configuration.pools).map(async ([name, { windows }]) => [
      name,
      (await instances(context).image(imageParameter(windows))).imageId,
    ]),
  );
  return Object.fromEntries(resolved.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
}

/**
 * Examines one account's access to the cluster. It needs no release, so it works as soon as the cluster is connected.
 */
const examineAccess = async (subject: DoctorSubject): Promise<Examination> => ({
  ...(await examineSide({ opening: clusterCredential, checks: accessChecks }, subject)),
  credentials: await ages(subject.context),
});

/** Examines only the cluster's access, because the other checks need a release to compare with. */
async function withoutRelease(subject: DoctorSubject, error: unknown): Promise<Examination> {
  const isAway = isBusy(error) || lacksCredentials(error);
  const finding: Finding = isAway ? awsAway(error) : { kind: "no-release", why: wordsOf(error) };
  const access = await examineAccess(subject);
  return together([{ findings: [finding], looked: 1, skipped: ["all checks that need a release"] }, access]);
}

/** Runs all checks; repairs nothing. */
export const doctor = (context: StepContext) => {
  const examine = async (
    known: Pick<ReleaseDocument, "configuration" | "payload">,
    by: string,
  ): Promise<Examination> => {
    const profile = profileOf(known.configuration);
    const patient: DoctorFacts = { context, by, profile, images: {}, ...known };
    const examined = await Promise.all(sidesOf(profile).map((side) => examineSide(side, patient)));
    return { ...together(examined), credentials: await ages(context) };
  };
  return {
    /**
     * Examines Slack, the account, the cluster and its nodes. Never throws: a side that is down is a finding.
     * @param known the release that the deployment should match
     * @param by the requester, as findings name it
     */
    examine,

    /** Does the same for a terminal, even without a release or without an answer from AWS. */
    examineAnyway: async (by: string, profile: Profile): Promise<Examination> => {
      const read = await runtime(context)
        .read(null)
        .catch((error: unknown) => ({ error }));
      return "error" in read ? withoutRelease({ context, by, profile }, read.error) : examine(read, by);
    },

    examineAccess: (by: string, profile: Profile): Promise<Examination> => examineAccess({ context, by, profile }),

    images: (configuration: Configuration): Promise<Record<string, string>> => imagesOf(context, configuration),

    /**
     * Checks the rights of a function's own role, and those of its account in the cluster if no other function does.
     */
    tryRights: async (by: RightsHolder, images: Readonly<Record<string, string>>): Promise<Examination> => {
      const { configuration, payload } = await runtime(context).read(null);
      const profile = profileOf(configuration);
      const patient: DoctorFacts = { context, by, profile, images, configuration, payload };
      const ofRole = examineSide({ opening: null, checks: rightsOf[by] }, patient);
      return together(await Promise.all([ofRole, ...(triesAccount.has(by) ? [examineAccess(patient)] : [])]));
    },
  };
};
