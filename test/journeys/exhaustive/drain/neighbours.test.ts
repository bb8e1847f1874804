import { afterEach, expect, test } from "vitest";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { calls, expectSound, launchedBy, newest, settled } from "../../evidence.ts";
import { type Journey, type JourneyOptions, startJourney } from "../../journey.ts";
import { edge, otherWeb } from "../../others.ts";
import { asAdministrator, askEc2, entryFor } from "../../outside.ts";
import { answerTo, openly, privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const WMCO = "openshift-windows-machine-config-operator";

/** Types a command; the channel's last message when the operation has ended. */
async function typed(command: string): Promise<string> {
  await here.type("operator", command);
  await settled(here);
  return openly(here).at(-1) ?? "";
}

const report = (): Promise<string> => answerTo(here, "/win doctor");

/** The configuration with more said about the cluster. */
async function journeyWhere(cluster: object, options: JourneyOptions = {}): Promise<Journey> {
  const plain = await startJourney();
  const configuration = { cluster: { ...plain.configuration.cluster, ...cluster } };
  await plain.close();
  return startJourney({ ...options, configuration });
}

test("without WMCO's namespace nodes are shown and removed, and the doctor finds nothing", async () => {
  here = await startJourney({ seedNodes: true });
  const spaces = here.simulator.kubernetes.objects("namespaces").map(({ metadata }) => metadata.name);
  expect(spaces).not.toContain(WMCO);
  await here.type("operator", `/win node ${otherWeb.name}`);
  await settled(here, 5);
  expect(privately(here, "operator").at(-1)).toContain(otherWeb.instanceId);
  await typed(`/win remove ${otherWeb.name} --dry-run`);
  expect((await newest(here)).operation.status).toBe("succeeded");
  await expectSound(here);
  expect(await report()).toMatch(/prod-west: all \d\d checks passed/);
});

test("beside WMCO nothing is launched, and the channel says what would become of its nodes", async () => {
  here = await startJourney({ seedNodes: true, neighbours: { with: ["wmco"] } });
  await here.pass(1);
  const said = await typed("/win add web");
  expect(said).toMatch(/Windows Machine Config Operator runs in.*stops at the first Windows node/);
  expect(said).toMatch(new RegExp(`its own nodes \\(\`${edge.name}\`\\) are no longer maintained.*OLM cannot upgrade`));
  expect(said).toMatch(/besideWmco: true.*configuration/);
  expect((await newest(here)).operation.status).toBe("refused");
  expect(calls(here, "ec2", "RunInstances")).toEqual([]);
  const doctor = await report();
  expect(doctor).toMatch(/❌ The Windows Machine Config Operator runs in this cluster/);
  expect(doctor).toMatch(/let one of the two manage all Windows nodes/);
});

test("beside WMCO a node is added where the configuration says that it is meant, and the doctor only warns", async () => {
  here = await journeyWhere({ besideWmco: true }, { seedNodes: true, neighbours: { with: ["wmco"] } });
  await typed("/win add web");
  expect((await newest(here)).operation.status).toBe("succeeded");
  await expectSound(here);
  expect(await report()).toMatch(/⚠️ The Windows Machine Config Operator runs in this cluster/);
});

test("an operator that was scaled down and has no nodes stands in nobody's way", async () => {
  here = await startJourney({ neighbours: { with: ["wmco"] } });
  const deployments = `/apis/apps/v1/namespaces/${WMCO}/deployments`;
  await asAdministrator(here, "DELETE", `${deployments}/windows-machine-config-operator`);
  await typed("/win add web --dry-run");
  expect((await newest(here)).operation.status).toBe("succeeded");
});

test("an address that WMCO was given is found as soon as the instance has it, not when its kubelet joins", async () => {
  here = await startJourney({ configuration: { deadlines: { provision: { keepFailed: 5 } } } });
  const every = demo.subnets.flatMap(({ cidr }) =>
    Array.from({ length: 251 }, (_, at) => [cidr.replace("0/24", String(at + 4)), "username=Administrator"]),
  );
  here.simulator.kubernetes.create({ ...entryFor(""), data: Object.fromEntries(every) });
  await typed("/win add web");
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("failed");
  expect(nodes[0]?.stage).toBe("launch");
  expect(launchedBy(here, operation.id).map(({ State }) => State?.Name)).toEqual(["terminated"]);
  expect(calls(here, "ssm", "SendCommand")).toEqual([]);
});

test.for([
  ["platform None", { platformStatus: { type: "None" } }, /installed on platform `None`, without a cloud controller/],
  [
    "platform External without a cloud controller",
    { platformStatus: { type: "External", external: { cloudControllerManager: { state: "None" } } } },
    /installed on platform `External`, without a cloud controller/,
  ],
] as const)("on %s nothing is launched, and the reason is said", async ([, status, words]) => {
  here = await startJourney();
  const infrastructure = {
    apiVersion: "config.openshift.io/v1",
    kind: "Infrastructure",
    metadata: { name: "cluster" },
  };
  await asAdministrator(here, "DELETE", "/apis/config.openshift.io/v1/infrastructures/cluster");
  here.simulator.kubernetes.create({ ...infrastructure, status } as never);
  expect(await typed("/win add web")).toMatch(words);
  expect((await newest(here)).operation.status).toBe("refused");
  expect(calls(here, "ec2", "RunInstances")).toEqual([]);
  expect(await report()).toMatch(words);
});

test("pods with addresses of class E keep a launch back", async () => {
  here = await startJourney();
  const networks = "/apis/operator.openshift.io/v1/networks/cluster";
  await asAdministrator(here, "DELETE", networks);
  here.simulator.kubernetes.create({
    apiVersion: "operator.openshift.io/v1",
    kind: "Network",
    metadata: { name: "cluster" },
    spec: {
      defaultNetwork: {
        type: "OVNKubernetes",
        ovnKubernetesConfig: {
          hybridOverlayConfig: { hybridClusterNetwork: [{ cidr: "241.0.0.0/14", hostPrefix: 23 }] },
        },
      },
    },
  } as never);
  expect(await typed("/win add web")).toMatch(/`241.0.0.0\/14`, which is in 240.0.0.0\/4: Windows does not support it/);
  expect((await newest(here)).operation.status).toBe("refused");
});

test("a node in a subnet with public addresses shows them", async () => {
  here = await startJourney();
  for (const { id } of demo.subnets)
    await askEc2(here, "ModifySubnetAttribute", { SubnetId: id, "MapPublicIpOnLaunch.Value": "true" });
  await here.type("operator", "/win add web");
  const external = (): readonly string[] =>
    here.simulator.kubernetes.objects("nodes").flatMap((node) => {
      const { addresses = [] } = (node.status ?? {}) as { addresses?: { type: string }[] };
      return addresses.map(({ type }) => type).filter((type) => type.startsWith("External"));
    });
  await here.until(() => external().length > 0, 60, "addresses of the Node");
  expect(external()).toEqual(["ExternalIP", "ExternalDNS"]);
});
