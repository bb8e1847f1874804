import { afterEach, beforeEach, expect, test } from "vitest";
import type { Steps } from "../../../lambdas/steps/steps.ts";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { type TestSimulator, testSimulator } from "../test-simulator.ts";

const INSTANCE = "i-0aaaaaaaaaaaaaaa1";

let simulator: TestSimulator;
let verbs: Steps;
beforeEach(async () => {
  simulator = await testSimulator();
  verbs = simulator.as("drain-node");
});
afterEach(() => simulator.close());

const machineApi = (kind: string, name: string, more: object) =>
  ({
    apiVersion: "machine.openshift.io/v1beta1",
    kind,
    metadata: { name, namespace: "openshift-machine-api", labels: { role: "win" } },
    ...more,
  }) as unknown as KubeObject;

test("A cluster without Machines, and an instance that SSM does not know, leave no traces and nothing unread", async () => {
  expect(await verbs.traces.of(INSTANCE, false)).toEqual({
    groupMember: null,
    machineFacts: null,
    healthChecks: [],
    associations: [],
    patches: null,
    unread: [],
  });
});

test("The Machine behind an instance is read with the health checks, by the drain's own account", async () => {
  const providerID = `aws:///us-west-2a/${INSTANCE}`;
  const { kubernetes } = simulator;
  kubernetes.create(machineApi("Machine", "windows-1", { spec: { providerID } }));
  kubernetes.create(machineApi("Machine", "windows-2", { spec: { providerID: `${providerID}0` } }));
  kubernetes.create(machineApi("MachineHealthCheck", "windows", { spec: { selector: { matchLabels: {} } } }));
  const { machineFacts, healthChecks, unread } = await verbs.traces.of(INSTANCE, false);
  expect(machineFacts?.metadata).toMatchObject({ name: "windows-1", labels: { role: "win" } });
  expect(healthChecks.map(({ metadata }) => metadata.name)).toEqual(["windows"]);
  expect(unread).toEqual([]);
});

test("Updates that wait for a reboot are known from what Patch Manager reported", async () => {
  const state = { InstanceId: INSTANCE, InstalledPendingRebootCount: 2, RebootOption: "RebootIfNeeded" } as const;
  simulator.ssm.patchStates.report(state);
  expect((await verbs.traces.of(INSTANCE, false)).patches).toEqual({ pending: 2, reboots: true });
});

test("A role without the right leaves a gap that is named, and no refusal", async () => {
  const { unread, associations } = await simulator.as("sweep").traces.of(INSTANCE, false);
  expect(associations).toEqual([]);
  expect(unread.join()).toMatch(
    /^SSM associations \(.*not authorized to perform: ssm:DescribeInstanceAssociationsStatus/,
  );
});
