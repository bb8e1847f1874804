import { EC2Client, TerminateInstancesCommand } from "@aws-sdk/client-ec2";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SendCommandCommand, SSMClient } from "@aws-sdk/client-ssm";
import { afterEach, expect, test } from "vitest";
import { scriptDocuments } from "../../../../lib/constructs/script-document.ts";
import type { PrincipalName } from "../../../../lib/functions.ts";
import { codePermissionsFor } from "../../../../lib/role-permissions.ts";
import { activity } from "../../../../lib/sandbox/core/activity.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { place } from "../../../../lib/sandbox/demo-account.ts";
import { inProcess } from "../../../../lib/sandbox/in-process.ts";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { calls, denied, launchedBy, newest, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { injectFault, reached } from "../../outside.ts";

let here: Journey;
afterEach(() => here.close());

/** Rights that IAM asks for a call; a call that is not listed needs the right of the same name. */
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
    "secretsmanager:PutSecretValue": "the credential in the cluster is stored when half of its life is over",
    "events:PutEvents": "people are called when a machine fails, which none does here",
  },
};

const allowed = (principal: PrincipalName) =>
  codePermissionsFor(principal, place).filter(({ effect }) => effect !== "Deny");

const used = (principal: PrincipalName): Set<string> =>
  new Set(
    calls(here)
      .filter((call) => call.principal === principal)
      .flatMap(({ service, action }) => asked[`${service}:${action}`] ?? [`${service}:${action}`]),
  );

test("what may be done for an add is done, and nothing beyond it is tried", { timeout: 40_000 }, async () => {
  here = await startJourney();
  // A crash while a command is sent makes the workflow look it up; a cancelled add takes its machine away.
  const sending = { function: lambdaName("provision-node"), operation: "send configure, try 1", when: "before" };
  injectFault(here, "handler-crash", sending, 1);
  await here.type("operator", "/win add web");
  await reached(here, "client-csr");
  await here.pass(2);
  await here.type("operator", "/win add web");
  await here.until(() => calls(here, "ec2", "RunInstances").length > 1, 5);
  // Windows features take longer to install than a round of waiting: the command is called off in the middle.
  await here.until(async () => (await newest(here)).nodes[0]?.stage === "features", 30, "the second node's features");
  await here.pass(0.5);
  await here.press("operator", "cancel-operation");
  await settled(here);
  expect(denied(here)).toEqual([]);
  for (const principal of ["add-nodes", "provision-node"] as const) {
    const granted = new Set(allowed(principal).flatMap(({ actions }) => actions));
    const idle = [...granted].filter((action) => !used(principal).has(action) && !spare[principal]?.[action]);
    expect(idle, `${principal} may do what it never does`).toEqual([]);
    const needless = Object.keys(spare[principal] ?? {}).filter((action) => used(principal).has(action));
    expect(needless, `${principal} does what is called spare`).toEqual([]);
  }
});

/** Answer of the simulator to a request that is signed by a function but that its code would never send. */
async function answerTo(principal: PrincipalName, send: (config: object) => Promise<unknown>): Promise<string> {
  const config = {
    region: demo.region,
    credentials: here.simulator.keys.of(principal),
    endpoint: "http://aws.sandbox.invalid",
    requestHandler: inProcess(here.simulator, activity()).aws,
  };
  return here.drive(
    send(config).then(
      () => "allowed",
      (error: Error) => error.name,
    ),
  );
}

test("who may only ask a function for its rights gets no machine from it, nor does anybody without an operation", async () => {
  here = await startJourney();
  const workflow = lambdaName("provision-node");
  const forged = { operation: "add-00000000", index: 0, pool: "web", image: { parameter: "", imageId: "ami-0a1" } };
  const Payload = Buffer.from(JSON.stringify({ ...forged, runtimeVersion: "1" }));
  const call = (alias: string) =>
    new InvokeCommand({ FunctionName: `${workflow}:${alias}`, InvocationType: "Event", Payload });
  const answered = (principal: PrincipalName, alias: string) =>
    answerTo(principal, (config) => new LambdaClient(config).send(call(alias)));
  expect(await answered("look", "live")).toBe("AccessDeniedException");
  expect(await answered("look", "1")).toBe("AccessDeniedException");
  expect(await answered("look", "rights")).toBe("allowed");
  expect(await answered("add-nodes", "live")).toBe("allowed");
  const ends = () => here.simulator.lambda.executions().filter(({ functionName }) => functionName === workflow);
  await here.until(() => ends().length === 2 && ends().every(({ status }) => status === "FAILED"), 15);
  expect(ends().map(({ error }) => error?.ErrorMessage)).toEqual([
    expect.stringContaining("was invoked through the qualifier that may only check its permissions"),
    expect.stringContaining("no running operation requests node 1 of add-00000000"),
  ]);
  expect(calls(here, "ec2", "RunInstances")).toEqual([]);
});

test("a document that is not the one that was deployed is sent to nobody", async () => {
  const foreign = scriptDocuments(demo.cluster.name).map((one) => ({
    ...one,
    content: one.content.replace("exit", "#"),
  }));
  here = await startJourney({ overrides: { documents: foreign } });
  await here.type("operator", "/win add web");
  await here.until(() => calls(here, "ssm", "SendCommand").length > 0, 30);
  expect(calls(here, "ssm", "SendCommand").map(({ error }) => error)).toEqual(["InvalidDocument"]);
  await here.until(() => here.said().join().includes("hash"), 10);
});

test("a function in wrong hands can touch neither foreign machines nor foreign secrets", async () => {
  here = await startJourney({ seedNodes: true });
  await here.type("operator", "/win add web");
  await reached(here, "guard");
  const [ours] = launchedBy(here, (await newest(here)).operation.id);
  const InstanceIds = [ours?.InstanceId ?? ""];
  const foreign = here.simulator.ec2
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
  const read = new GetSecretValueCommand({ SecretId: `casement/${demo.cluster.name}/join/i-0a1b2c3d4e5f60718` });
  for (const principal of ["provision-node", "front-door", "remove-node"] as const)
    expect(await answerTo(principal, (c) => new SecretsManagerClient(c).send(read))).toMatch(/^AccessDenied/);
});
