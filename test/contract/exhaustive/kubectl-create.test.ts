import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Fields } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { kubeconfig, type OpenCluster, openCluster } from "../../sandbox/kubernetes/https.ts";
import { type Kubectl, kubectlWith } from "../kubectl-binary.ts";

let cluster: OpenCluster;
let home: string;
let kubectl: Kubectl;

beforeAll(async () => {
  cluster = await openCluster(30);
  home = mkdtempSync(join(tmpdir(), "casement-kubectl-"));
  const { certificate, key } = await cluster.api.adminCredentials();
  const data = (pem: string): string => Buffer.from(pem).toString("base64");
  const user = { "client-certificate-data": data(certificate), "client-key-data": data(key) };
  writeFileSync(join(home, "admin"), kubeconfig(cluster.url, cluster.api.authorityPem, user));
  kubectl = kubectlWith(join(home, "admin"), home);
});

afterAll(async () => {
  await cluster.close();
  rmSync(home, { recursive: true, force: true });
});

/** Kinds that kubectl makes from flags: it writes the built-in ones in protobuf. */
const lines: readonly (readonly string[])[] = [
  ["create", "namespace", "made"],
  ["create", "configmap", "made", "--from-literal=a=b", "--from-literal=c="],
  ["create", "secret", "generic", "made", "--from-literal=user=olivia"],
  ["create", "secret", "docker-registry", "pull", "--docker-server=r", "--docker-username=u", "--docker-password=p"],
  ["create", "serviceaccount", "made"],
  ["create", "deployment", "made", "--image=busybox:1", "--replicas=2", "--port=80", "--", "sleep", "60"],
  ["create", "job", "made", "--image=busybox:1", "--", "sleep", "60"],
  ["create", "role", "made", "--verb=get,list", "--resource=pods,deployments.apps", "--resource-name=one"],
  ["create", "clusterrole", "made", "--verb=get", "--non-resource-url=/healthz"],
  ["create", "clusterrole", "summed", "--aggregation-rule=a=b"],
  ["create", "rolebinding", "made", "--role=made", "--user=olivia", "--group=ops", "--serviceaccount=default:default"],
  ["create", "clusterrolebinding", "made", "--clusterrole=made", "--user=olivia"],
  ["create", "poddisruptionbudget", "made", "--selector=app=made", "--min-available=1"],
  ["create", "poddisruptionbudget", "half", "--selector=app in (a,b)", "--max-unavailable=50%"],
  ["create", "cronjob", "made", "--image=busybox:1", "--schedule=*/5 * * * *", "--", "date"],
  ["create", "quota", "made", "--hard=pods=2", "--scopes=BestEffort"],
  ["create", "priorityclass", "made", "--value=10", "--description=d"],
  ["create", "ingress", "made", "--rule=a.example.com/path*=made:80"],
  ["create", "service", "clusterip", "made", "--tcp=80:8080"],
  ["create", "service", "nodeport", "open", "--tcp=443:8443", "--node-port=30080"],
  ["create", "service", "loadbalancer", "outside", "--tcp=80:8080"],
  ["create", "service", "externalname", "other", "--external-name=example.com"],
  [
    "run",
    "made",
    "--image=busybox:1",
    "--env=A=b",
    "--labels=app=made",
    "--port=80",
    "--restart=Never",
    "--",
    "sleep",
    "60",
  ],
];

/** An object as kubectl made it: without what the server sets or drops. */
function asMade(object: Fields): Fields {
  const { status: _status, ...made } = object;
  const isUnset = (key: string, value: unknown): boolean => key === "creationTimestamp" || value === null;
  return JSON.parse(JSON.stringify(made), (key, value: unknown) => (isUnset(key, value) ? undefined : value));
}

test.each(lines.map((line) => ({ line, name: line.join(" ") })))("kubectl $name", async ({ line }) => {
  const split = line.includes("--") ? line.indexOf("--") : line.length;
  const dry = await kubectl([...line.slice(0, split), "--dry-run=client", "-o", "json", ...line.slice(split)]);
  expect(dry).toMatchObject({ code: 0, err: "" });
  const { kind, metadata, ...rest } = JSON.parse(dry.out) as Fields & { kind: string; metadata: { name: string } };
  expect(await kubectl(line)).toMatchObject({ code: 0, err: "" });
  const stored = await kubectl(["get", kind, metadata.name, "-o", "json"]);
  expect(JSON.parse(stored.out)).toMatchObject(asMade({ kind, metadata, ...rest }));
});

/** Changes of what the lines above have made, each with what the object holds afterwards. */
const changes: readonly (readonly [line: string, object: string, holds: Fields])[] = [
  ["scale deployment/made --replicas=3", "deployment/made", { spec: { replicas: 3 } }],
  ["scale deployment/made --current-replicas=3 --replicas=1", "deployment/made", { spec: { replicas: 1 } }],
  [
    "edit deployment/made",
    "deployment/made",
    { spec: { template: { spec: { containers: [{ image: "busybox:2", command: ["sleep", "60"] }] } } } },
  ],
  [
    "edit cronjob/made",
    "cronjob/made",
    { spec: { jobTemplate: { spec: { template: { spec: { containers: [{ image: "busybox:2" }] } } } } } },
  ],
];

test.each(changes)("kubectl %s", async (line, object, holds) => {
  expect(await kubectl(line.split(" "))).toMatchObject({ code: 0, err: "" });
  const stored = await kubectl(["get", object, "-o", "json"]);
  expect(JSON.parse(stored.out)).toMatchObject(holds);
});

test("kubectl scale is refused where the present scale is another than it expects", async () => {
  const { code, err } = await kubectl(["scale", "deployment/made", "--current-replicas=2", "--replicas=5"]);
  expect([code, err]).toEqual([1, expect.stringContaining("Expected replicas to be 2, was 1")]);
});

test.each([
  ["strict", 1, 'strict decoding error: unknown field "dat"'],
  ["warn", 0, 'Warning: unknown field "dat"'],
  ["ignore", 0, ""],
])("kubectl create --validate=%s judges an unknown field", async (how, code, words) => {
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `validated-${how}` }, dat: {} };
  const outcome = await kubectl(["create", `--validate=${how}`, "-f", "-"], JSON.stringify(map));
  expect([outcome.code, outcome.err]).toEqual([code, words === "" ? "" : expect.stringContaining(words)]);
});
