import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { verify } from "../../lambdas/capabilities/add/admit.ts";
import { configureMachine, planOf } from "../../lambdas/capabilities/add/configure.ts";
import { networkReady } from "../../lambdas/capabilities/add/join.ts";
import { stagesFor } from "../../lambdas/capabilities/add/provision-node.ts";
import { runStages } from "../../lambdas/change/node/stages.ts";
import { accessOf } from "../../lambdas/cluster/cluster-access.ts";
import { bootstrapperOf } from "../../lambdas/cluster/joining.ts";
import { payloadManifestOf } from "../../lambdas/machine/payload.ts";
import type { MachinePlan } from "../../lambdas/machine/plan.ts";
import { securityGroupFaults, securityGroupRules } from "../../lambdas/machine/ports.ts";
import { stagePosition } from "../../lambdas/messages/operation/stages.ts";
import { okd } from "../../lambdas/profiles/okd/okd.ts";
import type { NodeRecord } from "../../lambdas/records/records.ts";
import { profileChecksOf } from "../../lambdas/steps/doctor/profile-checks.ts";
import { callLog, machine, taskOn } from "../change/a-task.ts";
import { run, setUp, tearDown } from "../engine/durable-engine.ts";
import { anotherKind } from "./another-kind.ts";
import { manifest } from "./okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

const profile = anotherKind;
const [shortName = ""] = machine.privateDnsName.split(".");

/** A cluster with one Node under the short name, ready for pods; remembers the plans and labels it was given. */
function cluster() {
  const plans: MachinePlan[] = [];
  const labels: object[] = [];
  const node = {
    metadata: {
      name: shortName,
      uid: "uid-1",
      annotations: { "example.com/agent": "here" },
      labels: {
        "casement.dev/pool": "web",
        "example.com/kind": "another",
        "node.kubernetes.io/windows-build": "10.0.20348",
      },
    },
    spec: {
      providerID: `aws:///us-west-2a/${machine.instanceId}`,
      taints: [{ key: "os", value: "Windows", effect: "NoSchedule" }],
    },
  };
  const given = {
    machine: {
      requestFor: async (plan: MachinePlan) => {
        plans.push(plan);
        return { plan };
      },
    },
    nodes: {
      read: async (name: string) => (name === shortName ? node : undefined),
      label: async (_node: unknown, wanted: object) => void labels.push(wanted),
      annotate: async () => undefined,
    },
  };
  return { plans, labels, given };
}

const registered = { name: shortName, uid: "uid-1" };

describe("Another kind of cluster is provisioned by the same workflow", () => {
  it("in its own stages, in the order of the table", () => {
    expect(stagesFor(profile).map(({ name }) => name)).toEqual([
      ...["launch", "agent", "guard", "configure", "node", "network", "ready", "verify", "admit"],
    ]);
  });

  it("and people see how many of its own stages are passed", async () => {
    const seen: string[] = [];
    const changeNode = async (_id: string, _index: number, change: Partial<NodeRecord>) => {
      if (change.stage) seen.push(stagePosition({ ...change, stage: change.stage }));
    };
    const two = stagesFor({ stages: ["launch", "ready"] }).map((stage) => ({ ...stage, run: async () => undefined }));
    await run((ctx) => runStages(taskOn(ctx, callLog(), { ledger: { changeNode } }, { profile }), two));
    expect(seen).toEqual(["1/2", "2/2"]);
  });

  it("with the name and the release of its own machine in its plan", async () => {
    let text = "";
    await run(async (ctx) => {
      const [file] = planOf(taskOn(ctx, callLog(), {}, { profile }), "configure");
      if (file?.do === "file" && file.source.from === "inline") text = atob(file.source.base64);
    });
    expect(JSON.parse(text)).toEqual({ nodeName: shortName, windows: "2022" });
  });

  it("with its own network, which another annotation announces", async () => {
    const { plans, given } = cluster();
    const ended = await run((ctx) => networkReady(taskOn(ctx, callLog(), given, { profile, node: registered })));
    expect(ended.status).toBe("SUCCEEDED");
    expect(plans.map(({ actions }) => actions)).toEqual([profile.plans.network({} as never)]);
  });

  it("with its own labels, on the Node that has its own kind of name", async () => {
    const { labels, given } = cluster();
    const ended = await run((ctx) => verify(taskOn(ctx, callLog(), given, { profile, node: registered })));
    expect(ended.status).toBe("SUCCEEDED");
    expect(labels).toEqual([{ "casement.dev/pool": "web", "example.com/kind": "another" }]);
  });
});

describe("Another kind of cluster is judged by its own rules", () => {
  it("has a payload of its own, and takes no other kind's", () => {
    const [file] = manifest().files;
    const own = { ...file, name: "agent.exe", path: "C:\\another\\agent.exe" };
    const written = { format: 1, profile: "another", kubernetes: "1.34.2", files: [own] };
    expect(payloadManifestOf(profile, written)).toEqual(written);
    expect(() => payloadManifestOf(profile, { ...written, files: [] })).toThrow("agent.exe is missing");
    expect(() => payloadManifestOf(okd, written)).toThrow('profile: Invalid input: expected "okd"');
    expect(() => payloadManifestOf(profile, manifest())).toThrow('profile: Invalid input: expected "another"');
  });

  it("has a security group of its own", () => {
    const groups = { "control-plane": "sg-a", "linux-nodes": "sg-b", "windows-nodes": "sg-c" };
    const ports = profile.ports({ hybridOverlayPort: 4_789 });
    const IpPermissions = securityGroupRules(ports, groups);
    expect(securityGroupFaults({ IpPermissions }, ports)).toEqual([]);
    expect(securityGroupFaults({ IpPermissions }, okd.ports({ hybridOverlayPort: 4_789 }))).toHaveLength(3);
  });

  it("joins by the role of its machines: no token is made, and no right to one is asked for", async () => {
    const made: string[] = [];
    const applied: MachinePlan[] = [];
    const { given } = cluster();
    const without = {
      ...given,
      machine: { ...given.machine, requestFor: async (plan: MachinePlan) => void applied.push(plan) },
      joinSecret: { nameOf: () => "none", create: async () => void made.push("a secret") },
      kubeletAuthority: { read: async () => ({ pem: "PEM", authorities: [], why: null }) },
      machines: { given: { record: async () => undefined } },
    };
    const ended = await run((ctx) => configureMachine(taskOn(ctx, callLog(), without, { profile })));
    expect(ended.status).toBe("SUCCEEDED");
    expect(applied).not.toEqual([]);
    expect(made).toEqual([]);
    expect(bootstrapperOf(profile.join, shortName)).toBe(`system:node:${shortName}`);
    const rights = Object.values(accessOf(profile)).flat();
    const tokens = rights.filter(
      ({ resource, namespace }) => resource === "serviceaccounts" && namespace !== "casement",
    );
    expect(tokens).toEqual([]);
  });

  it("asks for the rights to its own objects, and for no other kind's", () => {
    const rights = accessOf(profile).join.map(
      ({ verb, group, resource, name = "" }) => `${verb} ${group} ${resource} ${name}`,
    );
    expect(rights).toContain("get example.com networks pods");
    expect(rights.filter((right) => right.includes("openshift"))).toEqual([]);
  });

  it("is examined by the checks that it names", () => {
    expect(profileChecksOf(profile).map(({ what }) => what)).toEqual(["the kubelets' versions", "the hybrid network"]);
  });
});
