import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  clientCertificate,
  currentNode,
  nodeReady,
  nodeRegistered,
  servingCertificate,
} from "../../../lambdas/capabilities/add/join.ts";
import type { ProvisionTask } from "../../../lambdas/capabilities/add/task.ts";
import type { Notice } from "../../../lambdas/messages/operation/escalations.ts";
import { callLog, machine, taskOn } from "../../change/a-task.ts";
import { inMinutes, run, setUp, tearDown, tenMinutes } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

const NAME = machine.privateDnsName;
const by = { program: "kubectl", reason: "KubectlApprove", message: "ok" };
const nothing = { mismatches: [], approvedWrongly: [], denied: [], approved: null };
const token = () => ({ id: "abcdef", expiresAt: new Date(inMinutes(60)).toISOString() });

interface Scene {
  /** Answers of the looks at the requests, the last one again and again. */
  readonly looks?: readonly object[];
  readonly suspicious?: readonly object[];
  readonly nodes?: readonly object[];
  readonly hasNotices?: boolean;
}

/** Runs a stage of a join. */
async function joined(
  stage: (task: ProvisionTask) => Promise<unknown>,
  { looks = [nothing], suspicious = [], nodes = [], hasNotices = true }: Scene,
) {
  const log = callLog();
  const wanted: { signer: string; names: readonly string[]; addresses: readonly string[]; nodeExists: boolean }[] = [];
  const [notes, notices]: [string[], Notice[]] = [[], []];
  let result: unknown;
  const given = {
    claims: { all: async () => [] },
    csrs: {
      approveFor: async (signer: string, { names, addresses, nodeExists }: (typeof wanted)[number]) => {
        wanted.push({ signer, names, addresses, nodeExists });
        return looks[Math.min(wanted.length, looks.length) - 1] ?? nothing;
      },
      suspicious: async () => suspicious,
    },
    instances: { ofCluster: async () => [machine], describe: async () => ({ ...machine, publicIp: "203.0.113.4" }) },
    nodes: { all: async () => nodes, read: async (name: string) => (name === NAME ? nodes[0] : undefined) },
    notices: {
      send: async (notice: Notice) => {
        if (!hasNotices) throw new Error("no topic");
        notices.push(notice);
      },
    },
    ledger: {
      nodes: async () => [{ index: 0, notes }],
      addNotes: async () => undefined,
      changeNode: async (_id: string, _index: number, change: { notes?: string[]; nodeName?: string }) => {
        for (const note of change.notes ?? []) if (!notes.includes(note)) notes.push(note);
        if (change.nodeName) log.entries.push(`named ${change.nodeName}`);
      },
    },
  };
  const wait = tenMinutes({ until: inMinutes(1) });
  const tokens = [token()] as unknown as ProvisionTask["tokens"];
  const ended = await run(async (ctx) => {
    const task = taskOn(ctx, log, given, {
      ...{ tokens, wait },
      node: { name: NAME, uid: "uid-1" },
    });
    result = await stage(task);
    return null;
  });
  return { failure: ended.error?.message ?? null, result, wanted, notes, notices, log: log.entries };
}

const node = (more: object = {}) => ({
  metadata: { name: NAME, uid: "uid-1", creationTimestamp: new Date("2026-11-21T08:30:00.000Z") },
  ...more,
});
const approved = { ...nothing, approved: { name: "csr-1", by: null } };
const denials = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `csr-${at}`, by }));
const wrongly = [{ name: "csr-9", why: "another address", by }];

describe("The certificate requests of a machine that joins", () => {
  test("are approved by its names and addresses, the client's before the Node exists and the kubelet's after", async () => {
    const facts = { names: [NAME], addresses: [machine.privateIp, "203.0.113.4"] };
    expect(await joined(clientCertificate, { looks: [approved] })).toMatchObject({
      failure: null,
      wanted: [{ signer: "kubernetes.io/kube-apiserver-client-kubelet", ...facts, nodeExists: false }],
      notes: [],
      notices: [],
    });
    expect(await joined(servingCertificate, { looks: [nothing, approved], nodes: [node()] })).toMatchObject({
      failure: null,
      result: "approved",
      wanted: Array.from({ length: 2 }, () => ({
        signer: "kubernetes.io/kubelet-serving",
        ...facts,
        nodeExists: true,
      })),
    });
  });

  test("that others approved are noted, and the join continues", async () => {
    const { failure, notes } = await joined(clientCertificate, {
      looks: [{ ...nothing, approved: { name: "csr-1", by } }],
    });
    expect({ failure, notes }).toMatchInlineSnapshot(`
      {
        "failure": null,
        "notes": [
          "csr-1 was approved by a kubectl user ("ok"), not by Casement; it is this machine's request and valid, so the join continues",
        ],
      }
    `);
  });

  test("that nearly match or look suspicious stay pending and call people, once", async () => {
    const mismatch = { ...nothing, mismatches: [{ name: "csr-2", why: "another name" }] };
    const scene = { looks: [mismatch, mismatch, approved], suspicious: [{ name: "csr-3", why: "strange groups" }] };
    const { failure, notes, notices } = await joined(clientCertificate, scene);
    expect({ failure, notes, notices }).toMatchInlineSnapshot(`
    {
      "failure": null,
      "notes": [
        "csr-2 was left pending: another name",
        "csr-3 was left pending: strange groups",
      ],
      "notices": [
        {
          "kind": "signing-request",
          "message": "add-1: a certificate request needs review (kubectl get csr). csr-2 was left pending: another name; csr-3 was left pending: strange groups. See docs/runbook.md#stage-client-certificate.",
          "operation": "add-1",
          "until": null,
        },
      ],
    }
  `);
    const silent = await joined(clientCertificate, { ...scene, hasNotices: false });
    expect(silent).toMatchObject({ failure: null, notes, notices: [] });
  });

  test("that never come name the likeliest reason at the deadline", async () => {
    const failure = async (look: object) => (await joined(clientCertificate, { looks: [look] })).failure;
    expect({
      none: await failure(nothing),
      denied: await failure({ ...nothing, denied: denials(2) }),
      "denied again and again": await failure({ ...nothing, denied: denials(3) }),
      "approved wrongly": await failure({ ...nothing, approvedWrongly: wrongly }),
      "left pending": await failure({ ...nothing, mismatches: [{ name: "csr-2", why: "another name" }] }),
    }).toMatchInlineSnapshot(`
      {
        "approved wrongly": "gave up waiting for the kubelet's certificate request (kube-apiserver-client-kubelet); WRONGLY APPROVED: csr-9 is not this machine's (another address) and was approved by a kubectl user ("ok"). The holder of that certificate can act as ip-10-0-0-20.us-west-2.compute.internal until it expires. Next: find the requester (kubectl get csr csr-9 -o yaml), and remove this node",
        "denied": "gave up waiting for the kubelet's certificate request (kube-apiserver-client-kubelet); csr-0 was denied by a kubectl user ("ok")",
        "denied again and again": "csr-2 was denied by a kubectl user ("ok"), as were 3 requests in total",
        "left pending": "gave up waiting for the kubelet's certificate request (kube-apiserver-client-kubelet); csr-2 was left pending: another name",
        "none": "gave up waiting for the kubelet's certificate request (kube-apiserver-client-kubelet)",
      }
    `);
  });

  test("are not awaited of a Node that has registered since the launch, and are refused of another machine's", async () => {
    const registered = await joined(clientCertificate, { nodes: [node()] });
    expect({ failure: registered.failure, notes: registered.notes }).toMatchInlineSnapshot(`
      {
        "failure": null,
        "notes": [
          "the Node ip-10-0-0-20.us-west-2.compute.internal has registered, but its request no longer exists: it was approved outside Casement, and then deleted",
        ],
      }
    `);
    const taken = await joined(clientCertificate, {
      looks: [{ ...nothing, approvedWrongly: wrongly }],
      nodes: [node()],
    });
    expect({ failure: taken.failure, notes: taken.notes }).toMatchInlineSnapshot(`
      {
        "failure": "the Node ip-10-0-0-20.us-west-2.compute.internal exists, but no request of this machine was approved; csr-9 was, and it is not this machine's",
        "notes": [
          "WRONGLY APPROVED: csr-9 is not this machine's (another address) and was approved by a kubectl user ("ok"). The holder of that certificate can act as ip-10-0-0-20.us-west-2.compute.internal until it expires. Next: find the requester (kubectl get csr csr-9 -o yaml), and remove this node",
        ],
      }
    `);
  });

  test("are awaited of a Node from before the launch", async () => {
    const old = { metadata: { ...node().metadata, creationTimestamp: new Date("2026-11-21T07:59:59.000Z") } };
    expect((await joined(clientCertificate, { nodes: [old] })).failure).toMatch(/^gave up waiting for the kubelet's/);
    const atLaunch = { metadata: { ...node().metadata, creationTimestamp: new Date(machine.launchedAt) } };
    expect((await joined(clientCertificate, { nodes: [atLaunch] })).failure).toBeNull();
  });
});

describe("The Node of a machine that joins", () => {
  test("is recorded once it exists, and its join slot is given back", async () => {
    const { failure, log } = await joined(nodeRegistered, { nodes: [node()] });
    expect({ failure, log }).toEqual({ failure: null, log: [`named ${NAME}`, "give back the join slot"] });
    expect((await joined(nodeRegistered, {})).failure).toBe(`gave up waiting for the kubelet to register ${NAME}`);
  });

  test("must stay the one that registered", async () => {
    expect((await joined(currentNode, { nodes: [node()] })).failure).toBeNull();
    expect((await joined(currentNode, {})).failure).toBe("the Node was deleted during setup");
    expect((await joined(currentNode, { nodes: [{ metadata: { name: NAME, uid: "uid-2" } }] })).failure).toBe(
      "the Node was deleted and recreated outside Casement",
    );
    expect((await joined(servingCertificate, {})).failure).toBe("the Node was deleted during setup");
  });

  test("is awaited until its kubelet reports that it is Ready", async () => {
    const failure = async (...conditions: readonly object[]) =>
      (await joined(nodeReady, { nodes: [node({ status: { conditions } })] })).failure;
    expect(await failure({ type: "Ready", status: "True" })).toBeNull();
    expect(await failure({ type: "Ready", status: "False", message: "container runtime is down" })).toBe(
      "gave up waiting for the kubelet to be Ready: container runtime is down",
    );
    expect(await failure({ type: "MemoryPressure", status: "True", message: "full" })).toBe(
      "gave up waiting for the kubelet to be Ready: no status reported yet",
    );
  });
});
