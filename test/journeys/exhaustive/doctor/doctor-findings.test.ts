import { afterEach, expect, test } from "vitest";
import { type Account, secretOf } from "../../../../lambdas/cluster/accounts.ts";
import { scriptDocuments } from "../../../../lib/constructs/script-document.ts";
import type { FunctionName } from "../../../../lib/functions.ts";
import { permissionsFor } from "../../../../lib/role-permissions.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { account, place } from "../../../../lib/sandbox/demo-account.ts";
import type { KubeObject } from "../../../../lib/sandbox/kubernetes/model/object.ts";
import { credentialFor } from "../../../../lib/sandbox/seed-account.ts";
import type { Overrides } from "../../../../lib/sandbox/simulator.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { asAdministrator, injectFault } from "../../outside.ts";
import { answerTo } from "../../reading.ts";
import { publishVersion } from "../../releases.ts";

let here: Journey;
afterEach(() => here.close());

const report = (): Promise<string> => answerTo(here, "/win doctor");

/** A role without one of its statements. */
const without = (principal: FunctionName, sid: string): Overrides => ({
  permissions: { [principal]: permissionsFor(place)[principal].filter((statement) => statement.sid !== sid) },
});

const { windowsNodes } = demo.securityGroups;
const remoteDesktop = { IpProtocol: "tcp", FromPort: 3389, ToPort: 3389, IpRanges: [{ CidrIp: "0.0.0.0/0" }] };
const openToAll: Overrides = {
  account: {
    ...account,
    inbound: { ...account.inbound, [windowsNodes]: [...(account.inbound?.[windowsNodes] ?? []), remoteDesktop] },
  },
};

/** Foreign instances take every address of a subnet. */
function fillSubnet(): void {
  const [first] = demo.subnets;
  for (let at = 4; at < 255; at += 1) {
    here.simulator.ec2.seed({
      instanceId: `i-0f${String(at).padStart(15, "0")}`,
      system: "linux",
      instanceType: "t3.micro",
      subnetId: first.id,
      privateIp: `10.0.0.${at}`,
      groups: [demo.securityGroups.linuxNodes],
      profileArn: null,
      tags: {},
      launchedAt: 0,
    });
  }
}

interface Rules extends KubeObject {
  readonly rules: readonly { readonly resources: readonly string[] }[];
}

/** The administrator takes one rule back. */
async function withdraw(name: string, resource: string): Promise<void> {
  const path = `/apis/rbac.authorization.k8s.io/v1/clusterroles/${name}`;
  const role = here.simulator.kubernetes
    .objects("clusterroles", "rbac.authorization.k8s.io")
    .find(({ metadata }) => metadata.name === name) as Rules;
  const rules = role.rules.filter(({ resources }) => !resources.includes(resource));
  await asAdministrator(here, "PUT", path, { ...role, rules });
}

/** An account's credential in Secrets Manager, with a token that ends so many seconds from now. */
function storeCredential(account: Account, seconds: number): void {
  const text = credentialFor(here.simulator, account, "https://kubernetes.sandbox.invalid", seconds);
  here.simulator.secrets.seed(secretOf(demo.cluster.name, account), text);
}

/** A person tidies up in the bucket: an object's version is gone for good. */
function loseFile(name: string): void {
  const uploads = here.simulator.simulation.store.collection<string>("s3-versions");
  expect(uploads.size, "the simulator keeps versions").toBeGreaterThan(0);
  for (const key of uploads.keys().filter((one) => one.includes(name))) uploads.delete(key);
}

interface Policy extends KubeObject {
  readonly spec: {
    readonly variables: readonly { readonly name: string; readonly expression: string }[];
    readonly validations: readonly { readonly expression: string; readonly message?: string }[];
  };
}

/** The administrator has applied another specification of a policy; the API server goes by it a second later. */
async function change(name: string, changed: (spec: Policy["spec"]) => Policy["spec"]): Promise<void> {
  const group = "admissionregistration.k8s.io";
  const policy = here.simulator.kubernetes
    .objects("validatingadmissionpolicies", group)
    .find(({ metadata }) => metadata.name === name) as Policy;
  const body = { ...policy, spec: changed(policy.spec) };
  await asAdministrator(here, "PUT", `/apis/${group}/v1/validatingadmissionpolicies/${name}`, body);
  await here.pass(2 / 60);
}

/** The cluster has the manifest of a release whose policy knows no label of load balancers. */
const keepOldManifest = (): Promise<void> =>
  change("casement-nodes", (spec) => ({
    ...spec,
    variables: spec.variables.map((variable) =>
      variable.name === "ownLabels" ? { ...variable, expression: "['node-role.kubernetes.io/worker']" } : variable,
    ),
  }));

/** The expression of the last release's policy: it looked at a pod's label and name when it was made, never when it was deleted. */
const UNSEEN_ON_DELETE =
  "!variables.isCreate || (has(object.metadata.labels) && 'casement.dev/probe' in object.metadata.labels && object.metadata.name.startsWith('probe-'))";

const keepOldProbes = (): Promise<void> =>
  change("casement-probes", (spec) => ({
    ...spec,
    validations: spec.validations
      .filter(({ message }) => !message?.startsWith("A probe of Casement"))
      .map((one) => (one.message?.includes("pods that try a node") ? { ...one, expression: UNSEEN_ON_DELETE } : one)),
  }));

interface Case {
  readonly what: string;
  readonly overrides?: Overrides;
  /** There are nodes to try on. */
  readonly seedNodes?: boolean;
  readonly happens?: () => unknown;
  readonly finding: RegExp;
  readonly remedy: RegExp;
}

const cases: readonly Case[] = [
  {
    what: "an RBAC rule is missing",
    happens: () => withdraw("casement-act", "pods/eviction"),
    finding: /account `act` cannot evict pods \(`create pods\/eviction`\)/,
    remedy: /npm run --silent connect -- manifest/,
  },
  {
    what: "the cluster has an older manifest",
    seedNodes: true,
    happens: keepOldManifest,
    finding:
      /policy `casement-nodes` is that of an older manifest: it denies the account `act` the label node\.kubernetes\.io\/exclude/,
    remedy: /npm run --silent connect -- manifest/,
  },
  {
    what: "the policy of probes is that of the last release",
    happens: keepOldProbes,
    finding:
      /policy `casement-probes` is missing or that of an older manifest: it allows the account `act` to delete pods of others in the namespace casement/,
    remedy: /npm run --silent connect -- manifest/,
  },
  ...["casement-nodes", "casement-evictions", "casement-probes", "casement-tokens"].map((policy) => ({
    what: `the admission policy ${policy} is not bound`,
    seedNodes: true,
    happens: async () => {
      const bindings = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";
      await asAdministrator(here, "DELETE", `${bindings}/${policy}`);
      // The API server goes by it for a second more.
      await here.pass(2 / 60);
    },
    finding: new RegExp(`admission policy \`${policy}\` is not enforced for the account`),
    remedy: /npm run --silent connect -- manifest/,
  })),
  {
    what: "a function that changes something lacks a permission",
    overrides: without("provision-node", "LaunchTaggedInstances"),
    finding: /`provision-node` is not allowed `ec2:RunInstances`/,
    remedy: /deploy the stack.*service control policy/,
  },
  {
    what: "a function may not send our documents",
    overrides: without("provision-node", "SendOnlyToOurMachines"),
    seedNodes: true,
    finding: /`provision-node` is not allowed `ssm:SendCommand`/,
    remedy: /deploy the stack/,
  },
  {
    what: "a function may not write plans",
    overrides: without("provision-node", "WritePlans"),
    finding: /`provision-node` is not allowed `s3:PutObject`/,
    remedy: /deploy the stack/,
  },
  ...(
    [
      ["drain-node", "SeeAssociations", "ssm:DescribeInstanceAssociationsStatus"],
      ["reboot-node", "RebootOnlyOurs", "ec2:RebootInstances"],
      ["update-authority", "WritePlans", "s3:PutObject"],
      ["reconcile", "KeepInputs", "s3:PutObject"],
      ["sweep", "ForgetJoinSecrets", "secretsmanager:DeleteSecret"],
    ] as const
  ).map(([by, sid, action]) => ({
    what: `the role of ${by} lacks a permission`,
    seedNodes: true,
    overrides: without(by, sid),
    finding: new RegExp(`\`${by}\` is not allowed \`${action}\``),
    remedy: /deploy the stack/,
  })),
  {
    what: "the function that looks lacks a permission",
    overrides: without("look", "SeeSubnets"),
    finding: /`look` is not allowed `ec2:DescribeSubnets`/,
    remedy: /deploy the stack/,
  },
  {
    what: "the VPC has DNS hostnames switched off",
    happens: () => injectFault(here, "no-dns-hostnames"),
    finding: /`enableDnsHostnames` of the VPC `vpc-\w+` is off: new instances get no private DNS name/,
    remedy: /modify-vpc-attribute/,
  },
  {
    what: "somebody made a document anew",
    overrides: {
      documents: scriptDocuments(demo.cluster.name).map((one) => ({
        ...one,
        content: one.content.replace("exit", "#"),
      })),
    },
    finding: /The SSM document `casement-prod-west-apply-[0-9a-f]{12}` differs from the deployed one/,
    remedy: /find in CloudTrail who recreated it/,
  },
  {
    what: "a subnet is full",
    happens: fillSubnet,
    finding: /subnet `subnet-0a10000000000000a` \(`web`, `batch`, `edge`\) has no free address/,
    remedy: /another subnet/,
  },
  {
    what: "a file of the payload is missing",
    happens: () => loseFile("kubelet.exe"),
    finding: /1 file of the payload differs .* is missing from the bucket: `kubelet.exe`/,
    remedy: /upload the payload again/,
  },
  {
    what: "a program of the payload does not work on Windows",
    happens: () => publishVersion(here, "kubelet.exe", "1.31.0"),
    finding: /kubelet\.exe 1\.31\.0 is known to be broken on Windows: it does not start a second time/,
    remedy: /another version/,
  },
  {
    what: "the security group is open",
    overrides: openToAll,
    finding: /security group `sg-0d10000000000a100` .*Remote Desktop \(port 3389\)/,
    remedy: /correct the rules/,
  },
  {
    what: "the cluster was never connected",
    happens: () => here.simulator.secrets.seed(secretOf(demo.cluster.name, "look"), "{}"),
    finding: /credential of the account `look` in Secrets Manager cannot be used: .*server must be an address/,
    remedy: /npm run connect -- credential/,
  },
  {
    what: "a Slack scope is missing",
    overrides: { scopes: ["commands", "chat:write", "users:read", "usergroups:read", "channels:read"] },
    finding: /the app lacks the scope `channels:history`/i,
    remedy: /reinstall the app/,
  },
  {
    what: "the cluster does not answer",
    happens: () => injectFault(here, "kubernetes-5xx"),
    finding:
      /The cluster does not respond: the API server answered 503: the server is currently unable to handle the request/,
    remedy: /kubectl get --raw \/readyz/,
  },
  {
    what: "SSM is throttled",
    happens: () => injectFault(here, "aws-throttle", { service: "ssm" }),
    finding: /SSM throttled \d checks: .*the SSM documents.*Rate exceeded/,
    remedy: /try again in a minute/,
  },
];

test.for(cases)("$what: found, with its remedy", async ({ overrides, seedNodes = false, happens, finding, remedy }) => {
  here = await startJourney({ seedNodes, ...(overrides ? { overrides } : {}) });
  await happens?.();
  const said = await report();
  expect(said).toMatch(finding);
  expect(said).toMatch(remedy);
  expect(said).not.toContain("checks passed");
  expect(here.simulator.lambda.executions().filter(({ status }) => status !== "SUCCEEDED")).toEqual([]);
});

test("a cluster credential that has ended is said to have ended, and when", async () => {
  here = await startJourney();
  storeCredential("look", 3_600);
  await here.pass(58);
  expect(await report()).toMatch(
    /credential of the account `look` was due for renewal .*2026-11-21 03:3.*it expires .*2026-11-21 04:0/,
  );
  await here.pass(5);
  const said = await report();
  expect(said).toMatch(/credential of the account `look` expired .*2026-11-21 04:0/);
  expect(said).toContain("npm run connect -- credential");
  expect(said).toContain("Not checked: ");
});

test("the worst comes first, and everything that can be looked at is looked at beside what cannot", async () => {
  here = await startJourney({ overrides: openToAll });
  injectFault(here, "kubernetes-5xx");
  injectFault(here, "aws-throttle", { service: "ssm" });
  const said = await report();
  for (const part of ["The cluster does not respond", "Remote Desktop", "SSM throttled"]) expect(said).toContain(part);
  expect(said.indexOf("Remote Desktop")).toBeLessThan(said.indexOf("SSM throttled"));
});

test("a configuration of an older release, with one approver, is warned about by the commands that it leaves closed", async () => {
  here = await startJourney({
    configuration: {
      people: { operator: ["U0OPERATOR"], approver: ["U0APPROVER"] },
      policy: { doctor: ["operator"], remove: ["operator"], approve: ["approver"] },
    },
  });
  const said = await report();
  expect(said).toMatch(/⚠️ No role may use .*`deny`/i);
  expect(said).toMatch(/`remove` need an approval that only 1 person can give/);
});
