import { EC2Client, TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SendCommandCommand, SSMClient } from "@aws-sdk/client-ssm";
import { afterEach, expect, test } from "vitest";
import { type PrincipalName, permissionsFor } from "../../lib/permissions.ts";
import { activity } from "../../lib/sandbox/core/activity.ts";
import { lambdaName } from "../../lib/sandbox/ground.ts";
import { inProcess } from "../../lib/sandbox/in-process.ts";
import { town } from "../../lib/sandbox/town.ts";
import { place } from "../../lib/sandbox/town-account.ts";
import { calls, denied, launchedBy, newest, settled } from "./evidence.ts";
import { order, reached } from "./outside.ts";
import { type World, world } from "./world.ts";

let here: World;
afterEach(() => here.close());

/** What IAM asks for a call; each goes by the name of the API's action unless it stands here. */
const asked: Readonly<Record<string, readonly string[]>> = {
  "ec2:RunInstances": ["ec2:RunInstances", "ec2:CreateTags", "iam:PassRole"],
  "lambda:Invoke": ["lambda:InvokeFunction"],
  "s3:GetObject": ["s3:GetObject", "s3:GetObjectVersion"],
  "secretsmanager:CreateSecret": ["secretsmanager:CreateSecret", "secretsmanager:TagResource"],
};

/** Granted though no journey of an `add` needs it, and why. */
const spare: Readonly<Partial<Record<PrincipalName, Readonly<Record<string, string>>>>> = {
  "add-nodes": {
    "lambda:GetDurableExecutionState": "the engine asks for it when an execution's state fills more than one page",
    "secretsmanager:DeleteSecret":
      "join secrets of nodes whose executions were lost are deleted, and none is lost here",
  },
  "provision-node": {
    "lambda:GetDurableExecutionState": "the engine asks for it when an execution's state fills more than one page",
    "dynamodb:Query": "goes with every right to read the ledger",
    "events:PutEvents": "people are called when a machine fails, which none does here",
    "s3:PutObject": "a plan over 16 KB travels by bucket; the town's plans are smaller",
    "secretsmanager:DescribeSecret": "the doctor tries the right to keep join secrets with it",
  },
};

const used = (principal: PrincipalName): Set<string> =>
  new Set(
    calls(here)
      .filter((call) => call.principal === principal)
      .flatMap(({ service, action }) => asked[`${service}:${action}`] ?? [`${service}:${action}`]),
  );

test("what may be done for an add is done, and nothing beyond it is tried", { timeout: 40_000 }, async () => {
  here = await world();
  // A crash while a command is sent makes the workflow look it up; a cancelled add takes its machine away.
  const sending = { function: lambdaName("provision-node"), operation: "send configure, try 1", when: "before" };
  order(here, "handler-crash", sending, 1);
  await here.type("operator", "/win add web");
  await reached(here, "client-csr");
  await here.pass(2);
  await here.type("operator", "/win add web");
  await here.until(() => calls(here, "ec2", "RunInstances").length > 1, 5);
  await here.until(() => calls(here, "ssm", "SendCommand").length > 14, 30);
  await here.press("operator", "cancel-operation");
  await settled(here);
  expect(denied(here)).toEqual([]);
  for (const principal of ["add-nodes", "provision-node"] as const) {
    const granted = new Set(permissionsFor(place)[principal].flatMap(({ actions }) => actions));
    const idle = [...granted].filter((action) => !used(principal).has(action) && !spare[principal]?.[action]);
    expect(idle, `${principal} may do what it never does`).toEqual([]);
    const needless = Object.keys(spare[principal] ?? {}).filter((action) => used(principal).has(action));
    expect(needless, `${principal} does what is called spare`).toEqual([]);
  }
});

/** How the ground answers a request that is signed by a function but that its code would never send. */
async function answerTo(principal: PrincipalName, send: (config: object) => Promise<unknown>): Promise<string> {
  const config = {
    region: town.region,
    credentials: here.ground.keys.of(principal),
    endpoint: "http://aws.sandbox.invalid",
    requestHandler: inProcess(here.ground, activity()).aws,
  };
  return here.drive(
    send(config).then(
      () => "allowed",
      (error: Error) => error.name,
    ),
  );
}

test("a function in wrong hands can touch neither foreign machines nor foreign secrets", async () => {
  here = await world({ inhabited: true });
  await here.type("operator", "/win add web");
  await reached(here, "guard");
  const [ours] = launchedBy(here, (await newest(here)).operation.id);
  const InstanceIds = [ours?.InstanceId ?? ""];
  const foreign = here.ground.ec2
    .describe()
    .filter(({ Tags }) => !Tags?.some(({ Key }) => Key === "casement:launched"));
  expect(foreign.length).toBeGreaterThan(1);
  for (const { InstanceId = "" } of foreign) {
    const terminate = new TerminateInstancesCommand({ InstanceIds: [InstanceId] });
    expect(await answerTo("provision-node", (c) => new EC2Client(c).send(terminate))).toBe("UnauthorizedOperation");
  }
  const run = new SendCommandCommand({
    DocumentName: "AWS-RunPowerShellScript",
    InstanceIds,
    Parameters: { commands: ["whoami"] },
  });
  expect(await answerTo("provision-node", (c) => new SSMClient(c).send(run))).toMatch(/^AccessDenied/);
  const terminate = new TerminateInstancesCommand({ InstanceIds });
  expect(await answerTo("add-nodes", (c) => new EC2Client(c).send(terminate))).toBe("UnauthorizedOperation");
  const read = new GetSecretValueCommand({ SecretId: `casement/${town.cluster.name}/join/i-0a1b2c3d4e5f60718` });
  for (const principal of ["provision-node", "front-door", "remove-node"] as const)
    expect(await answerTo(principal, (c) => new SecretsManagerClient(c).send(read))).toMatch(/^AccessDenied/);
});
