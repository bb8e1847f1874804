import type { DoctorCheck, DoctorFacts } from "../../../lambdas/steps/doctor/check.ts";
import { TAG } from "../../../lambdas/tags.ts";
import { type Answers, answering } from "../answering.ts";

/** An instance as EC2 lists it. */
export interface ListedInstance {
  readonly id: string;
  readonly state?: string;
  readonly dns?: string;
  readonly profile?: string;
  readonly tags?: Readonly<Record<string, string>>;
}

/** Tags with which Casement launches machines. */
export const launchedTags = { [TAG.launched]: "true", [TAG.cluster]: "prod-west" };

const item = (text: string): string => `<item>${text}</item>`;

const instanceXml = ({
  id,
  state = "running",
  dns = "",
  profile = "node",
  tags = launchedTags,
}: ListedInstance): string =>
  item(
    [
      `<instanceId>${id}</instanceId><privateDnsName>${dns}</privateDnsName>`,
      `<instanceState><name>${state}</name></instanceState><platform>windows</platform>`,
      profile && `<iamInstanceProfile><arn>${profile}</arn></iamInstanceProfile>`,
      `<tagSet>${Object.entries(tags)
        .map(([key, value]) => item(`<key>${key}</key><value>${value}</value>`))
        .join("")}</tagSet>`,
    ].join(""),
  );

/** EC2 that lists these instances. */
export const listing = (...instances: readonly ListedInstance[]): Answers => ({
  DescribeInstances: () => ({
    body: `<DescribeInstancesResponse><reservationSet>${item(
      `<instancesSet>${instances.map(instanceXml).join("")}</instancesSet>`,
    )}</reservationSet></DescribeInstancesResponse>`,
  }),
});

/** An error of a service that speaks JSON. */
export const refusal = (name: string) => () => ({ status: 400, body: { __type: name, message: "no" } });

/** An error of EC2. */
export const ec2Refusal =
  (name: string, status = 400) =>
  () => ({
    status,
    body: `<Response><Errors><Error><Code>${name}</Code><Message>no</Message></Error></Errors></Response>`,
  });

/** Runs a check where AWS answers so. @returns its findings, or the name of the error, and what was asked */
export async function examined({ observe }: Pick<DoctorCheck, "observe">, answers: Answers) {
  const { context, asked } = answering(answers);
  const configuration = { cluster: { id: "prod-x1", name: "prod-west" } };
  const facts = { context, configuration } as unknown as DoctorFacts;
  const found = await observe(facts).catch(({ name }: Error) => name);
  return { found, asked };
}
