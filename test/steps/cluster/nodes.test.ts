import type { V1Node } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { Retryable } from "../../../lambdas/errors.ts";
import { nodes } from "../../../lambdas/steps/cluster/nodes.ts";
import { answering } from "../answering.ts";
import { type ApiAnswers, apiRefusal, apiServer, clusterSecret, listOf } from "../api-server.ts";

const PATCH = "PATCH /api/v1/nodes/win-1";
const DELETE = "DELETE /api/v1/nodes/win-1";
const merge = "application/merge-patch+json";

/** The verbs on a cluster that answers so, and what was asked. */
function on(api: ApiAnswers) {
  const { exchange, requests } = apiServer(api);
  const { context } = answering({ ...clusterSecret(), GetItem: () => ({ body: {} }) }, exchange);
  return { verbs: nodes({ ...context, now: () => Date.parse("2026-11-21T12:00:00Z") }), requests };
}

const node: V1Node = {
  metadata: { name: "win-1", uid: "u-1", resourceVersion: "7", labels: { tier: "web" } },
  spec: {
    taints: [
      { key: "os", value: "Windows", effect: "NoSchedule" },
      { key: "casement.dev/soon-rebooted", value: "reboot-1", effect: "PreferNoSchedule" },
    ],
  },
};
const named = async (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

describe("Reading", () => {
  test("gives the pods of one node, and of all", async () => {
    const { verbs, requests } = on({ "GET /api/v1/pods": listOf({ metadata: { name: "a" } }) });
    expect(await verbs.podsOn("win-1")).toMatchObject([{ metadata: { name: "a" } }]);
    await verbs.pods();
    expect(requests.map(({ query }) => query)).toEqual([
      { fieldSelector: "spec.nodeName=win-1", limit: "500" },
      { limit: "500" },
    ]);
  });

  describe("one byte of a pod's log", () => {
    const LOG = "GET /api/v1/namespaces/shop/pods/a/log";
    const pod = { metadata: { namespace: "shop", name: "a" } };

    test.each<[string, ApiAnswers[string], string | null]>([
      ["shows that the kubelet trusts the API server", { body: {} }, null],
      ["shows that it does not", apiRefusal(401), "the kubelet does not accept the API server's certificate (401)"],
      ["is refused in the server's words", apiRefusal(500, "no route to host"), "no route to host"],
      ["is refused by a proxy before the server", apiRefusal(502, "tls"), "the API server answered 502: tls"],
    ])("%s", async (_what, answer, refusal) => {
      const { verbs, requests } = on({ [LOG]: answer });
      expect(await verbs.logRefusal(pod)).toBe(refusal);
      expect(requests[0]?.query).toEqual({ limitBytes: "1" });
    });

    test("is not judged without an answer", async () => {
      expect(await named(on({ [LOG]: new Error("reset") }).verbs.logRefusal(pod))).toEqual(new Error("reset"));
    });
  });
});

describe("A change of a node", () => {
  test("is a merge patch of the version that was read", async () => {
    const { verbs, requests } = on({ [PATCH]: { body: {} } });
    await verbs.change(node, { metadata: { labels: { a: "b" } }, spec: { unschedulable: true } });
    expect(requests).toEqual([
      {
        action: PATCH,
        query: {},
        type: merge,
        body: { metadata: { resourceVersion: "7", labels: { a: "b" } }, spec: { unschedulable: true } },
      },
    ]);
  });

  test.each([409, 404])("is tried again after a %i", async (status) => {
    const error = await named(on({ [PATCH]: apiRefusal(status) }).verbs.change(node, {}));
    expect(error).toBeInstanceOf(Retryable);
    expect(error).toMatchObject({ message: "the Node was changed by another writer at the same time" });
  });

  test("is refused as the server refuses it", async () => {
    expect(await named(on({ [PATCH]: apiRefusal(403) }).verbs.change(node, {}))).toMatchObject({ code: 403 });
  });
});

test("Only labels that are missing or differ are set", async () => {
  const { verbs, requests } = on({ [PATCH]: { body: {} } });
  await verbs.label(node, { tier: "web" });
  await verbs.label(node, { tier: "db", pool: "web" });
  await verbs.label(node, { tier: "web", pool: "web" });
  expect(requests.map(({ body, type }) => [body, type])).toEqual([
    [{ metadata: { labels: { tier: "db", pool: "web" } } }, merge],
    [{ metadata: { labels: { pool: "web" } } }, merge],
  ]);
});

test("Annotations are set whatever they were", async () => {
  const { verbs, requests } = on({ [PATCH]: { body: {} } });
  await verbs.annotate(node, { "casement.dev/x": "1" });
  expect(requests).toMatchObject([{ type: merge, body: { metadata: { annotations: { "casement.dev/x": "1" } } } }]);
});

describe("A node that is soon rebooted", () => {
  const os = { key: "os", value: "Windows", effect: "NoSchedule" };

  test.each([
    ["reboot-2", [os, { key: "casement.dev/soon-rebooted", value: "reboot-2", effect: "PreferNoSchedule" }]],
    [null, [os]],
  ])("prefers no pods for %s", async (operation, taints) => {
    const { verbs, requests } = on({ [PATCH]: { body: {} } });
    await verbs.prefersNoPods(node, operation);
    expect(requests.map(({ body }) => body)).toEqual([{ metadata: { resourceVersion: "7" }, spec: { taints } }]);
  });

  test("is not changed where there is no such taint to take off", async () => {
    const { verbs, requests } = on({ [PATCH]: { body: {} } });
    await verbs.untaint(node, "casement.dev/starting");
    await verbs.untaint({ metadata: { name: "win-1" } }, "os");
    expect(requests).toEqual([]);
    await verbs.untaint(node, "casement.dev/soon-rebooted");
    expect(requests).toMatchObject([{ body: { spec: { taints: [os] } } }]);
  });
});

describe("A Node", () => {
  const ready = (status: string, taints: readonly object[] = []) => ({
    body: { metadata: { name: "win-1" }, spec: { taints }, status: { conditions: [{ type: "Ready", status }] } },
  });
  const removed = async (api: ApiAnswers) => {
    const { verbs, requests } = on(api);
    return { result: await named(verbs.remove("win-1", "u-1")), requests };
  };
  const cordon = { action: PATCH, type: merge, body: { metadata: { uid: "u-1" }, spec: { unschedulable: true } } };

  test("that is not Ready is cordoned and deleted by its uid", async () => {
    const { result, requests } = await removed({ [PATCH]: ready("Unknown"), [DELETE]: { body: {} } });
    expect(result).toBe(true);
    expect(requests).toMatchObject([cordon, { action: DELETE, body: { preconditions: { uid: "u-1" } } }]);
  });

  test("that is Ready and in service stays", async () => {
    const { result, requests } = await removed({ [PATCH]: ready("True") });
    expect([result, requests.length]).toEqual([false, 1]);
  });

  test("that is Ready and still starting is deleted", async () => {
    const starting = ready("True", [{ key: "casement.dev/starting", effect: "NoSchedule" }]);
    expect((await removed({ [PATCH]: starting, [DELETE]: { body: {} } })).result).toBe(true);
  });

  const causes = (field: string) => ({
    status: 422,
    body: { kind: "Status", code: 422, message: "no", details: { causes: [{ field }] } },
  });

  test.each<[string, ApiAnswers, unknown]>([
    ["is gone", { [PATCH]: apiRefusal(404) }, true],
    ["has another uid", { [PATCH]: causes("metadata.uid") }, true],
    ["is invalid otherwise", { [PATCH]: causes("spec.taints") }, expect.objectContaining({ code: 422 })],
    ["has another uid at its deletion", { [PATCH]: ready("False"), [DELETE]: apiRefusal(409) }, true],
    [
      "must not be deleted",
      { [PATCH]: ready("False"), [DELETE]: apiRefusal(403) },
      expect.objectContaining({ code: 403 }),
    ],
  ])("that %s", async (_what, api, result) => {
    expect((await removed(api)).result).toEqual(result);
  });
});

test("An Event on a Node carries the message with the command word, cut to what an Event takes", async () => {
  const EVENTS = "POST /api/v1/namespaces/default/events";
  const { verbs, requests } = on({ [EVENTS]: { body: {} } });
  await verbs.announce({ name: "win-1", uid: "u-1" }, "Warning", "DrainFailed", `no ${"x".repeat(2_000)}`);
  const at = "2026-11-21T12:00:00.000Z";
  expect(requests).toMatchObject([
    {
      action: EVENTS,
      body: {
        metadata: { generateName: "win-1.", namespace: "default" },
        involvedObject: { apiVersion: "v1", kind: "Node", name: "win-1", uid: "u-1" },
        type: "Warning",
        reason: "DrainFailed",
        message: `no ${"x".repeat(1_021)}`,
        source: { component: "casement" },
        reportingComponent: "casement.dev/bot",
        firstTimestamp: at,
        lastTimestamp: at,
        count: 1,
      },
    },
  ]);
});
