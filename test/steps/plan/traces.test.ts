import { SSMClient } from "@aws-sdk/client-ssm";
import { ApiException } from "@kubernetes/client-node";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { StepContext } from "../../../lambdas/steps/context.ts";
import { traces } from "../../../lambdas/steps/plan/traces.ts";
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

test.each([
  ["An API server that has just started is asked again", 1, { machine: "windows-1", unread: 0 }],
  ["A right that the account lacks is a gap that is named", 2, { machine: undefined, unread: 1 }],
])("%s before a Machine counts as unread", async (_, refusals, expected) => {
  const message = 'machines.machine.openshift.io is forbidden: User "act" cannot list resource "machines"';
  const denied = new ApiException(403, "Forbidden", JSON.stringify({ kind: "Status", message }), {});
  const machine = { metadata: { name: "windows-1" }, spec: { providerID: `aws:///us-west-2a/${INSTANCE}` } };
  let asked = 0;
  const custom = {
    listNamespacedCustomObject: async ({ plural }: { readonly plural: string }) => {
      if (plural !== "machines") return { items: [] };
      asked += 1;
      if (asked <= refusals) throw denied;
      return { items: [machine] };
    },
  };
  const ssm = Object.assign(new SSMClient({ region: "us-west-2" }), { send: async () => ({}) });
  const pauses: number[] = [];
  const context = { clients: { kubernetes: { custom }, ssm }, pause: async (ms: number) => void pauses.push(ms) };
  const seen = await traces(context as unknown as StepContext).of(INSTANCE, false);
  expect({ machine: seen.machineFacts?.metadata.name, unread: seen.unread.length }).toEqual(expected);
  expect(pauses).toEqual([2_000]);
});
