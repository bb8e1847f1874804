import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { CLIENT, requestFor, signingRequest } from "../../sandbox/kubernetes/certificates.ts";
import { budget, deployment, linuxNode } from "../../sandbox/kubernetes/cluster.ts";
import { kubeconfig, type OpenCluster, openCluster } from "../../sandbox/kubernetes/https.ts";
import { type Kubectl, kubectlWith } from "../kubectl-binary.ts";

const [first, second] = ["ip-10-0-0-10.us-west-2.compute.internal", "ip-10-0-1-11.us-west-2.compute.internal"];
const worker = { "node-role.kubernetes.io/worker": "" };

let cluster: OpenCluster;
let home: string;
let admin: Kubectl;

const userOf = (user: Record<string, string>, name: string): Kubectl => {
  const file = join(home, name);
  writeFileSync(file, kubeconfig(cluster.url, cluster.api.authorityPem, user));
  return kubectlWith(file, home);
};

/** A command line; one with spaces inside an argument is given as a list. */
type Line = string | readonly string[];

const argsOf = (line: Line): readonly string[] => (typeof line === "string" ? line.split(" ") : line);

/** Runs a line as the administrator and expects it to succeed. */
const run = async (line: Line, input?: string): Promise<string> => {
  const { code, out, err } = await admin(argsOf(line), input);
  expect({ line, code, err: code === 0 ? "" : err }).toEqual({ line, code: 0, err: "" });
  return out;
};

/** Runs a line that must fail; returns what it says. */
const refused = async (line: Line, input?: string, as = admin): Promise<string> => {
  const { code, err } = await as(argsOf(line), input);
  expect({ line, failed: code !== 0 }).toEqual({ line, failed: true });
  return err.trim();
};

/** Waits until the API server has answered a call of that name; gives up after three seconds. */
const answered = async (action: string, status = 200): Promise<void> => {
  const calls = cluster.simulation.calls;
  await vi.waitUntil(() => calls.after(0).some((call) => call.action === action && call.status === status), 3_000);
};

const node = (name: string) => cluster.api.objects("nodes").find(({ metadata }) => metadata.name === name);
const podsOf = (app: string) => cluster.api.objects("pods").filter(({ metadata }) => metadata.labels?.app === app);
const yaml = (...objects: KubeObject[]): string => objects.map((object) => JSON.stringify(object)).join("\n---\n");

beforeAll(async () => {
  cluster = await openCluster(30);
  home = mkdtempSync(join(tmpdir(), "casement-kubectl-"));
  cluster.api.create(linuxNode(first, worker));
  cluster.api.create(linuxNode(second, worker));
  const { certificate, key } = await cluster.api.adminCredentials();
  const data = (pem: string): string => Buffer.from(pem).toString("base64");
  admin = userOf({ "client-certificate-data": data(certificate), "client-key-data": data(key) }, "admin");
  await admin(["version"]);
});

afterAll(async () => {
  await cluster.close();
  rmSync(home, { recursive: true, force: true });
});

describe("reading", () => {
  test("tells the version of the server", async () => {
    expect(await run("version")).toContain("Server Version: v1.34.2");
  });

  test("discovers resources with short names and scope", async () => {
    const lines = (await run("api-resources --no-headers")).split("\n").map((line) => line.trim().split(/\s+/));
    expect(lines).toContainEqual(["nodes", "no", "v1", "false", "Node"]);
    expect(lines).toContainEqual(["poddisruptionbudgets", "pdb", "policy/v1", "true", "PodDisruptionBudget"]);
    expect(lines).toContainEqual(["machines", "machine.openshift.io/v1beta1", "true", "Machine"]);
  });

  test("shows nodes in kubectl's own columns", async () => {
    const [header, row] = (await run("get nodes")).split("\n").map((line) => line.trim().split(/\s{2,}/));
    expect(header).toEqual(["NAME", "STATUS", "ROLES", "AGE", "VERSION"]);
    expect(row?.toSpliced(3, 1)).toEqual([first, "Ready", "worker", "v1.34.2"]);
    expect(await run(`get node ${first} -o wide`)).toMatch(/10\.0\.0\.9 +<none> +Fedora CoreOS +6\.12 +cri-o/);
  });

  test("selects by label and by field", async () => {
    expect(await run(["get", "nodes", "-l", "kubernetes.io/os in (linux),!gone", "-o", "name"])).toBe(
      `node/${first}\nnode/${second}\n`,
    );
    expect(await run(["get", "nodes", "-l", "kubernetes.io/os=windows", "-o", "name"])).toBe("");
    expect(await run(`get nodes --field-selector metadata.name=${second} -o name`)).toBe(`node/${second}\n`);
    expect(await refused("get nodes --field-selector spec.nonsense=1")).toContain(
      "field label not supported: spec.nonsense",
    );
  });

  test("pages through a long list in chunks", async () => {
    const names = await run("get clusterroles --chunk-size=2 -o name");
    expect(names.trim().split("\n")).toHaveLength(
      cluster.api.objects("clusterroles", "rbac.authorization.k8s.io").length,
    );
  });

  test("prints an object as the store has it", async () => {
    expect(JSON.parse(await run(`get node ${first} -o json`))).toEqual(node(first));
  });

  test("describes a node with its pods and events", async () => {
    const text = await run(`describe node ${first}`);
    expect(text).toMatch(/^Name: +ip-10-0-0-10/);
    expect(text).toContain("Non-terminated Pods:");
    expect(text).toMatch(/Ready +True/);
  });

  test("follows changes with -w", async () => {
    await run("create configmap watched --from-literal=word=one");
    const line = ["get", "configmap", "watched", "-w", "-o", "jsonpath={.data.word} "];
    const watching = admin(line, "", 1.5);
    await answered("watch configmaps");
    await run(["patch", "configmap", "watched", "--type=merge", "-p", '{"data":{"word":"two"}}']);
    expect((await watching).out).toBe("one two ");
  });
});

describe("changing nodes", () => {
  test("labels and unlabels", async () => {
    expect(await run(`label node ${first} disk=fast`)).toBe(`node/${first} labeled\n`);
    expect(node(first)?.metadata.labels).toMatchObject({ disk: "fast" });
    expect(await refused(`label node ${first} disk=slow`)).toContain("already has a value (fast)");
    await run(`label node ${first} disk-`);
    expect(node(first)?.metadata.labels).not.toHaveProperty("disk");
  });

  test("refuses a label value that is none", async () => {
    const patch = ["patch", "node", first, "-p", '{"metadata":{"labels":{"disk":"very fast"}}}'];
    expect(await refused(patch)).toContain(
      `The Node "${first}" is invalid: metadata.labels: Invalid value: "very fast": a valid label must be`,
    );
  });

  test("taints and untaints", async () => {
    await run(`taint node ${first} os=Windows:NoSchedule`);
    expect(node(first)?.spec).toMatchObject({ taints: [{ key: "os", value: "Windows", effect: "NoSchedule" }] });
    expect(await run(`taint node ${first} os-`)).toBe(`node/${first} untainted\n`);
    expect(node(first)?.spec).not.toHaveProperty("taints");
  });

  test("cordons and uncordons", async () => {
    expect(await run(`cordon ${first}`)).toBe(`node/${first} cordoned\n`);
    expect(await run(`cordon ${first}`)).toBe(`node/${first} already cordoned\n`);
    expect(await run("get nodes")).toContain("Ready,SchedulingDisabled");
    await run(
      "wait --for=jsonpath={.spec.taints[0].key}=node.kubernetes.io/unschedulable --timeout=5s node/".concat(first),
    );
    expect(await run(`uncordon ${first}`)).toBe(`node/${first} uncordoned\n`);
    expect(node(first)?.spec).not.toHaveProperty("unschedulable");
  });

  test("patches in each of three ways, and tells a failed test from a change", async () => {
    await run(["patch", "node", first, "--type=merge", "-p", '{"metadata":{"annotations":{"by":"merge"}}}']);
    await run([
      "patch",
      "node",
      first,
      "--type=json",
      "-p",
      '[{"op":"test","path":"/metadata/annotations/by","value":"merge"},{"op":"replace","path":"/metadata/annotations/by","value":"json"}]',
    ]);
    expect(node(first)?.metadata.annotations).toMatchObject({ by: "json" });
    expect(
      await refused([
        "patch",
        "node",
        first,
        "--type=json",
        "-p",
        '[{"op":"test","path":"/metadata/annotations/by","value":"merge"}]',
      ]),
    ).toBe("The request is invalid: the server rejected our request due to an error in our request");
    // A condition that the node's own kubelet does not keep: a heartbeat between the two would put back any other.
    const condition = { type: "Inspected", status: "True", message: "through strategic merge" };
    const status = JSON.stringify({ status: { conditions: [condition] } });
    await run(["patch", "node", first, "-p", status, "--subresource=status"]);
    const { conditions = [] } = (node(first)?.status ?? {}) as { conditions?: { type: string }[] };
    expect(conditions).toContainEqual(condition);
    expect(conditions.map(({ type }) => type)).toContain("Ready");
  });
});

describe("workloads", () => {
  test("applies, changes and deletes from a file", async () => {
    const web = deployment("web", 2);
    expect(await run("apply -f -", yaml(web))).toBe("deployment.apps/web created\n");
    expect(await run("apply -f -", yaml(web))).toBe("deployment.apps/web unchanged\n");
    expect(await run("apply -f -", yaml(deployment("web", 3)))).toBe("deployment.apps/web configured\n");
    await run("wait --for=condition=Available deployment/web --timeout=10s");
    await run("wait --for=condition=Ready pod -l app=web --timeout=10s");
    expect(podsOf("web")).toHaveLength(3);
    expect(await run("get deployment web")).toMatch(/web +3\/3 +3 +3/);
  });

  test("tells who owns a field when two apply it server-side", async () => {
    const map = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "shared", namespace: "default" },
      data: { a: "1", b: "1" },
    } as unknown as KubeObject;
    expect(await run("apply --server-side --field-manager=one -f -", yaml(map))).toBe(
      "configmap/shared serverside-applied\n",
    );
    const other = { ...map, data: { a: "2" } } as KubeObject;
    expect(await refused("apply --server-side --field-manager=two -f -", yaml(other))).toContain(
      'conflict with "one": .data.a',
    );
    await run("apply --server-side --force-conflicts --field-manager=two -f -", yaml(other));
    await run("apply --server-side --field-manager=one -f -", yaml({ ...map, data: {} } as KubeObject));
    expect(cluster.api.objects("configmaps").find(({ metadata }) => metadata.name === "shared")?.data).toEqual({
      a: "2",
    });
  });

  test("scales and deletes with what belongs to it", async () => {
    await run("scale deployment/web --replicas=1");
    await run("wait --for=jsonpath={.status.replicas}=1 deployment/web --timeout=10s");
    expect(await run("delete deployment web")).toContain('deployment.apps "web" deleted');
    await run("wait --for=delete pod -l app=web --timeout=10s");
    expect(podsOf("web")).toEqual([]);
  });

  test("creates in protobuf what kubectl has a type for", async () => {
    await run("create namespace made");
    await run("create deployment typed -n made --image=pause --replicas=1 --port=80");
    const created = cluster.api.objects("deployments", "apps").find(({ metadata }) => metadata.name === "typed");
    expect(created?.spec).toMatchObject({
      replicas: 1,
      selector: { matchLabels: { app: "typed" } },
      template: { spec: { containers: [{ name: "pause", image: "pause", ports: [{ containerPort: 80 }] }] } },
    });
    await run("delete namespace made");
    expect(cluster.api.objects("deployments", "apps")).toEqual([]);
  });

  test("says what is missing", async () => {
    const broken = {
      ...deployment("broken", 1),
      spec: { selector: { matchLabels: { app: "x" } }, template: { metadata: { labels: { app: "y" } }, spec: {} } },
    } as KubeObject;
    const said = await refused("create -f -", yaml(broken));
    expect(said).toContain("`selector` does not match template `labels`");
    expect(said).toContain("spec.template.spec.containers: Required value");
  });
});

describe("draining", () => {
  test("passes by daemons, waits for a budget that frees, and leaves the node empty", async () => {
    const daemon = { ...deployment("agent", 1), kind: "DaemonSet" } as KubeObject;
    const { replicas: _replicas, ...spec } = daemon.spec as Record<string, unknown>;
    await run(
      "apply -f -",
      yaml({ ...daemon, spec } as KubeObject, deployment("shop", 2), budget("shop", { minAvailable: 2 })),
    );
    await run("wait --for=condition=Ready pod -l app=shop --timeout=10s");
    await run("wait --for=jsonpath={.status.currentHealthy}=2 pdb/shop --timeout=10s");

    expect(await refused(`drain ${first}`)).toContain("cannot delete DaemonSet-managed Pods");
    const draining = admin(["drain", first, "--ignore-daemonsets", "--timeout=15s"]);
    await answered("create pods/eviction", 429);
    await run("scale deployment/shop --replicas=3");
    const { code, out, err } = await draining;
    expect(code).toBe(0);
    expect(err).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(out).toContain(`node/${first} drained`);
    const left = cluster.api.objects("pods").filter(({ spec }) => (spec as { nodeName?: string }).nodeName === first);
    expect(left.map(({ metadata }) => metadata.labels?.app)).toEqual(["agent"]);
    await run(`uncordon ${first}`);
  });

  test("reports two budgets over one pod as the server's error", async () => {
    await run("apply -f -", yaml(budget("twice", { minAvailable: 0 }, "shop")));
    expect(await refused(`drain ${second} --ignore-daemonsets --timeout=3s`)).toContain(
      "This pod has more than one PodDisruptionBudget",
    );
    await run(`uncordon ${second}`);
    await run("delete pdb twice shop");
  });

  test("shows what happened as events", async () => {
    expect(await run("get events")).toMatch(
      /Normal +Scheduled +pod\/shop-\w+-\w+ +Successfully assigned default\/shop/,
    );
    const pod = podsOf("shop")[0]?.metadata.name ?? "";
    expect(await run(`events --for pod/${pod}`)).toContain("Started");
    expect(await run(`describe pod ${pod}`)).toMatch(/Events:[\s\S]+default-scheduler/);
  });
});

describe("certificates", () => {
  const create = async (name: string, subject: string): Promise<string> => {
    const { requestPem, keyPem } = await requestFor(subject);
    const request = signingRequest(name, requestPem, CLIENT, ["digital signature", "client auth"]);
    await run("create -f -", yaml(request as unknown as KubeObject));
    expect(await run(`get csr ${name} -o jsonpath={.spec.extra}`)).toContain("credential-id");
    return keyPem;
  };

  test("approves a kubelet's request and gets the certificate signed", async () => {
    const keyPem = await create("joining", `O=system:nodes, CN=system:node:${first}`);
    expect(await run("get csr joining")).toMatch(/joining .+kube-apiserver-client-kubelet +\S+ +<none> +Pending/);
    expect(await run("certificate approve joining")).toContain("joining approved");
    await run("wait --for=jsonpath={.status.certificate} csr/joining --timeout=5s");
    expect(await run("get csr joining")).toContain("Approved,Issued");

    const issued = await run("get csr joining -o jsonpath={.status.certificate}");
    const kubelet = userOf(
      { "client-certificate-data": issued, "client-key-data": Buffer.from(keyPem).toString("base64") },
      "kubelet",
    );
    expect((await kubelet(["auth", "whoami"])).out).toContain(`system:node:${first}`);
    expect((await kubelet(["get", "node", first, "-o", "name"])).out).toBe(`node/${first}\n`);
    expect(await refused(["annotate", "node", second, "a=b"], "", kubelet)).toContain("is forbidden");
  });

  test("denies too", async () => {
    await create("stranger", "O=system:nodes, CN=system:node:stranger");
    await run("certificate deny stranger");
    expect(await run("get csr stranger")).toMatch(/Denied$/m);
  });
});

describe("mirror sets", () => {
  const set = (name: string, source: string, field = "mirrors") =>
    yaml({
      apiVersion: "config.openshift.io/v1",
      kind: "ImageDigestMirrorSet",
      metadata: { name },
      spec: { imageDigestMirrors: [{ source, [field]: ["mirror.example.com/quay"] }] },
    } as unknown as KubeObject);

  test("are applied, listed by their short name, edited and deleted", async () => {
    expect(await run("apply -f -", set("quay", "quay.io"))).toBe(
      "imagedigestmirrorset.config.openshift.io/quay created\n",
    );
    expect(await run("get idms")).toMatch(/^NAME +AGE\nquay +/);
    await run(["patch", "idms", "quay", "--type=merge", "-p", '{"spec":{"imageDigestMirrors":[]}}']);
    expect(await run("get idms quay -o jsonpath={.spec}")).toBe('{"imageDigestMirrors":[]}');
    expect(await run("delete idms quay")).toContain("deleted");
  });

  test("are refused with the pattern of a source, and with the name of an unknown field", async () => {
    expect(await refused("apply -f -", set("quay", "https://quay.io"))).toContain(
      'The ImageDigestMirrorSet "quay" is invalid: spec.imageDigestMirrors[0].source: Invalid value: "https://quay.io": spec.imageDigestMirrors[0].source in body should match \'^\\*(?:',
    );
    expect(await refused("apply -f -", set("quay", "quay.io", "mirror"))).toContain(
      'strict decoding error: unknown field "spec.imageDigestMirrors[0].mirror"',
    );
  });

  test("of the older kind are found in its own version of the operator's group", async () => {
    const kinds = await run("api-resources --api-group=operator.openshift.io -o name");
    expect(kinds).toBe("imagecontentsourcepolicies.operator.openshift.io\nnetworks.operator.openshift.io\n");
  });
});

describe("who may", () => {
  test("answers can-i by the bot's manifest", async () => {
    const bot = userOf({ token: cluster.api.issueToken({ name: "system:serviceaccount:casement:act" }, 600) }, "bot");
    expect((await bot(["auth", "can-i", "patch", "nodes"])).out).toBe("yes\n");
    expect((await bot(["auth", "can-i", "delete", "pods"])).out).toBe("no\n");
    const joiner = userOf(
      { token: cluster.api.issueToken({ name: "system:serviceaccount:casement:join" }, 600) },
      "join",
    );
    const create = ["create", "token", "node-bootstrapper", "-n", "openshift-machine-config-operator"];
    expect((await joiner([...create, "--duration", "10m"])).code).toBe(0);
    expect((await joiner([...create, "--duration", "1h"])).err).toContain("make join tokens");
    expect(await refused("get secrets", "", bot)).toBe(
      'Error from server (Forbidden): secrets is forbidden: User "system:serviceaccount:casement:act" cannot list resource "secrets" in API group "" in the namespace "default"',
    );
  });

  test("applies the bot's manifest over itself without a change", async () => {
    const manifest = fileURLToPath(new URL("../../../lib/manifests/cluster-access.yaml", import.meta.url));
    const before = cluster.api.objects("clusterroles", "rbac.authorization.k8s.io");
    await run(["apply", "--server-side", "-f", manifest]);
    expect(cluster.api.objects("clusterroles", "rbac.authorization.k8s.io")).toEqual(before);
  });

  test("turns away a bad token and says what is not there", async () => {
    const nobody = userOf({ token: "made-up" }, "nobody");
    expect(await refused("get nodes", "", nobody)).toContain("You must be logged in to the server (Unauthorized)");
    expect(await refused("get node nowhere")).toBe('Error from server (NotFound): nodes "nowhere" not found');
    expect(await refused("get gadgets")).toContain(`the server doesn't have a resource type "gadgets"`);
  });
});
