import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { userOf } from "../../lambdas/desired/accounts.ts";
import { linuxProbe, windowsProbe } from "../../lambdas/desired/probe.ts";
import { type Ask, linuxNode, type StillCluster, stillCluster } from "../sandbox/kubernetes/cluster.ts";

let cluster: StillCluster;
let act: Ask;

beforeAll(async () => {
  cluster = await stillCluster();
  cluster.api.create(linuxNode("lin"));
  act = cluster.as(userOf("act"));
});
afterAll(() => cluster.stop());

const PODS = "/api/v1/namespaces/casement/pods";
const windows = windowsProbe("one", "win", "registry.example.com/servercore:ltsc2022");
const [container] = windows.spec.containers as readonly object[];

/** The Windows probe with another specification. */
const changed = (spec: object) => ({ ...windows, spec: { ...windows.spec, ...spec } });
const contained = (change: object) => changed({ containers: [{ ...container, ...change }] });

const bound = "A probe of Casement is bound to a node, names its system and ends within ten minutes";
const bare = "A probe of Casement has neither a token nor a volume";
const away = "A probe of Casement has no way to its host";

describe("of pods, the account that acts", () => {
  it("may make both halves of a probe, and delete them", async () => {
    for (const pod of [windows, linuxProbe("one", "lin", "registry.example.com/busybox:1", "10.132.0.5")]) {
      const body = { apiVersion: "v1", kind: "Pod", ...pod };
      expect(await act(`POST ${PODS}`, body)).toMatchObject({ status: 201 });
      expect((await act(`DELETE ${PODS}/${pod.metadata.name}`)).status).toBe(200);
    }
  });

  it.each([
    ["without a node", changed({ nodeName: undefined }), bound],
    ["that restarts", changed({ restartPolicy: "Always" }), bound],
    ["without an end", changed({ activeDeadlineSeconds: undefined }), bound],
    ["that lasts for an hour", changed({ activeDeadlineSeconds: 3_600 }), bound],
    ["that does not say its system", changed({ os: undefined }), bound],
    ["with a token", changed({ automountServiceAccountToken: true }), bare],
    ["that leaves its token to the account", changed({ automountServiceAccountToken: undefined }), bare],
    ["with a volume", changed({ volumes: [{ name: "c", hostPath: { path: "C:\\k" } }] }), bare],
    ["in its host's network", changed({ hostNetwork: true }), away],
    ["among its host's processes", changed({ securityContext: { windowsOptions: { hostProcess: true } } }), away],
    ["with another container before it", changed({ initContainers: [container] }), away],
    ["with a container of the host", contained({ securityContext: { windowsOptions: { hostProcess: true } } }), away],
    ["with privileges", contained({ securityContext: { privileged: true } }), away],
    ["with capabilities", contained({ securityContext: { capabilities: { add: ["NET_ADMIN"] } } }), away],
    ["with values of a Secret", contained({ envFrom: [{ secretRef: { name: "act" } }] }), away],
    ["with a port of its host", contained({ ports: [{ containerPort: 80, hostPort: 80 }] }), away],
    [
      "without the label",
      { ...windows, metadata: { ...windows.metadata, labels: {} } },
      "Casement may only make pods that try a node",
    ],
  ])("may make none %s", async (_, pod, message) => {
    const answer = await act(`POST ${PODS}`, { apiVersion: "v1", kind: "Pod", ...pod });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ message: expect.stringContaining(message) });
  });

  it("may neither make nor delete one elsewhere", async () => {
    const body = { apiVersion: "v1", kind: "Pod", ...windows, metadata: { ...windows.metadata, namespace: "default" } };
    expect((await act("POST /api/v1/namespaces/default/pods", body)).status).toBe(403);
    expect((await act("DELETE /api/v1/namespaces/default/pods/shop-1")).status).toBe(403);
  });

  it.each(["look", "join"] as const)("is the only one: %s may not", async (account) => {
    const body = { apiVersion: "v1", kind: "Pod", ...windows };
    expect((await cluster.as(userOf(account))(`POST ${PODS}`, body)).status).toBe(403);
  });
});
