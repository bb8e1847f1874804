import type { Place } from "./place.ts";
import { permissionsFor } from "./role-permissions.ts";
import type { Statement } from "./statement.ts";

/** IAM user guide, "IAM and STS character limits": the inline policies of one role together, white space not counted. */
const LARGEST = 10_240;

/** The longest name that CloudFormation may choose for a function, role or queue: 64 characters, Lambda's limit. */
const LONGEST_NAME = "n".repeat(64);

/** Size of statements in characters, measured as IAM measures a policy. */
const sizeOf = (statements: readonly Statement[]): number =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: statements.map(({ sid, effect = "Allow", actions, resources, conditions }) => ({
      Sid: sid,
      Effect: effect as string,
      Action: actions,
      Resource: resources,
      Condition: conditions,
    })),
  }).length;

const counted = ({ subnets, instanceTypes, machineTags, imageRepositories, imageCaches }: Place): string =>
  `different subnets (${subnets.length}) and instance types (${instanceTypes.length}) of the pools, tags (${machineTags.length}) or image repositories (${imageRepositories.length + imageCaches.length})`;

/**
 * Refuses a configuration that makes a role's policy larger than IAM allows. Otherwise CloudFormation would fail in the
 * middle of a deployment.
 * @param place of the stack; for names that CloudFormation chooses, the greatest length is assumed
 * @throws Error with the role, its size, and what to shorten
 */
export function checkPolicySizes(place: Place): void {
  const longest = new Proxy({}, { get: () => LONGEST_NAME });
  const named = { names: longest, logGroups: longest, queues: longest };
  const fixed = { bucket: LONGEST_NAME, table: LONGEST_NAME, topic: LONGEST_NAME, nodeGroup: "sg-0a10000000000000a" };
  const all = permissionsFor({ ...place, ...named, ...fixed, instanceProfile: LONGEST_NAME });
  for (const [role, statements] of Object.entries(all)) {
    const size = sizeOf(statements);
    if (size > LARGEST)
      throw new Error(
        `The policy of the role ${role} would have ${size} characters, IAM takes ${LARGEST}: name fewer ${counted(place)}.`,
      );
  }
}
