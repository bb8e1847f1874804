import { describe, expect, test } from "vitest";
import { traces } from "../../../lambdas/steps/plan/traces.ts";
import { type Answers, answering } from "../answering.ts";
import { type ApiAnswers, apiRefusal, apiServer, clusterSecret, listOf } from "../api-server.ts";

const ID = "i-0aaa";
const MACHINES = "GET /apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api/machines";
const CHECKS = "GET /apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api/machinehealthchecks";
const denied = () => ({ status: 400, body: { __type: "AccessDeniedException", message: "not yours" } });
const rbac = (plural: string) => apiRefusal(403, `u cannot list resource "${plural}"`);

/** Reads the traces of an instance where the services answer so; by default they know nothing of it. */
async function read(api: ApiAnswers, aws: Answers = {}, isInGroup = false) {
  const { exchange, requests } = apiServer({ [MACHINES]: apiRefusal(404), ...api });
  const { context, asked } = answering(
    {
      ...clusterSecret(),
      DescribeInstanceAssociationsStatus: () => ({ body: {} }),
      DescribeInstancePatchStates: () => ({ body: {} }),
      ...aws,
    },
    exchange,
  );
  const pauses: number[] = [];
  const pause = async (ms: number) => void pauses.push(ms);
  const result = await traces({ ...context, pause })
    .of(ID, isInGroup)
    .catch(({ name, message }: Error) => `${name}: ${message}`);
  return { result, requests: requests.map(({ action }) => action), asked, pauses };
}

const none = { groupMember: null, patches: null, machineFacts: null, healthChecks: [], associations: [], unread: [] };
const machine = { metadata: { name: "m" }, spec: { providerID: `aws:///us-west-2a/${ID}` } };

describe("The traces of other controllers", () => {
  test("are none where nobody knows the instance, and health checks are then not read", async () => {
    const { result, requests } = await read({});
    expect([result, requests]).toEqual([none, [MACHINES]]);
    const others = listOf(
      { metadata: { name: "x" }, spec: { providerID: `aws:///us-west-2a/${ID}0` } },
      { metadata: {} },
    );
    expect((await read({ [MACHINES]: others })).result).toEqual(none);
    expect((await read({ [MACHINES]: { body: {} } })).result).toEqual(none);
  });

  test("are the Machine and the health checks", async () => {
    const { result } = await read({ [MACHINES]: listOf(machine), [CHECKS]: listOf({ metadata: { name: "c" } }) });
    expect(result).toEqual({ ...none, machineFacts: machine, healthChecks: [{ metadata: { name: "c" } }] });
  });

  test("are associations by their names, or by their ids", async () => {
    const infos = [
      { Name: "AWS-RunPatchBaseline", AssociationName: "patches", AssociationId: "a-1" },
      { Name: "AWS-Other", AssociationId: "a-2" },
      {},
    ];
    const { result, asked } = await read(
      {},
      { DescribeInstanceAssociationsStatus: () => ({ body: { InstanceAssociationStatusInfos: infos } }) },
    );
    expect(result).toEqual({
      ...none,
      associations: [
        { name: "patches", document: "AWS-RunPatchBaseline" },
        { name: "a-2", document: "AWS-Other" },
        { name: "", document: "" },
      ],
    });
    expect(asked.filter(({ action }) => action === "DescribeInstanceAssociationsStatus")).toMatchObject([
      { input: { InstanceId: ID } },
    ]);
  });

  test.each([
    [
      { InstalledPendingRebootCount: 2, RebootOption: "RebootIfNeeded" },
      { pending: 2, reboots: true },
    ],
    [{ RebootOption: "NoReboot" }, { pending: 0, reboots: false }],
  ])("are updates %j", async (state, patches) => {
    const answer = () => ({ body: { InstancePatchStates: [{ InstanceId: ID, ...state }] } });
    expect((await read({}, { DescribeInstancePatchStates: answer })).result).toEqual({ ...none, patches });
  });

  test("are none of an instance that SSM does not know", async () => {
    const unknown = () => ({ status: 400, body: { __type: "InvalidInstanceId", message: "no" } });
    expect((await read({}, { DescribeInstanceAssociationsStatus: unknown })).result).toEqual(none);
  });

  test("are the group's state, if tags name a group", async () => {
    const instance = "<AutoScalingGroupName>g</AutoScalingGroupName><LifecycleState>InService</LifecycleState>";
    const aws: Answers = {
      DescribeAutoScalingInstances: () => ({ body: instance }),
      DescribeAutoScalingGroups: () => ({ body: "<HealthCheckType>EC2</HealthCheckType>" }),
    };
    const groupMember = { group: "g", lifecycle: "InService", checks: "EC2", suspended: [] };
    expect((await read({}, aws, true)).result).toEqual({ ...none, groupMember });
    expect((await read({}, aws)).result).toEqual(none);
  });

  test("that may not be read are named, and stand for nothing", async () => {
    const aws = {
      DescribeInstanceAssociationsStatus: denied,
      DescribeInstancePatchStates: denied,
      DescribeAutoScalingInstances: () => ({
        status: 403,
        body: "<Error><Code>AccessDenied</Code><Message>not yours</Message></Error>",
      }),
    };
    const { result, pauses, requests } = await read({ [MACHINES]: rbac("machines") }, aws, true);
    expect(result).toEqual({
      ...none,
      unread: [
        'the Machine (u cannot list resource "machines")',
        "SSM associations (AccessDeniedException: not yours)",
        "updates that wait for a reboot (AccessDeniedException: not yours)",
        "health checks of its Auto Scaling group (AccessDenied: not yours)",
      ],
    });
    // An API server that has just started refuses rightful accounts too.
    expect([pauses, requests]).toEqual([[2_000], [MACHINES, MACHINES]]);
    const { result: checks } = await read({ [MACHINES]: listOf(machine), [CHECKS]: apiRefusal(403, "a policy") });
    expect(checks).toMatchObject({ healthChecks: [], unread: ["MachineHealthChecks (a policy)"] });
  });

  test("are not known from a busy server", async () => {
    expect((await read({ [MACHINES]: apiRefusal(503) })).result).toContain("HTTP-Code: 503");
    const failed = () => ({ status: 400, body: { __type: "ThrottlingException", message: "slow" } });
    expect((await read({}, { DescribeInstancePatchStates: failed })).result).toBe("ThrottlingException: slow");
  });
});
