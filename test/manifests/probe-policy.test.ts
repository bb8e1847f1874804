import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { userOf } from "../../lambdas/cluster/accounts.ts";
import { linuxProbe, NOBODY, PROBE_LABEL, windowsProbe, witnessProbe } from "../../lambdas/health/probe-pods.ts";
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
/** Host that both halves try. */
const outside = "registry.example.com:443";

const windows = windowsProbe({ id: "one", node: "win", image: "registry.example.com/servercore:ltsc2022", outside });
const [container] = windows.spec.containers as readonly object[];

const mergePatch = { "content-type": "application/merge-patch+json" };

/** Rights that a later manifest or an administrator might add: the policy holds without RBAC's help. */
const everyPodVerbRole = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: { name: "every-verb", namespace: "casement" },
  rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["*"] }],
};
const everyPodVerb = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "RoleBinding",
  metadata: { name: "every-verb", namespace: "casement" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "every-verb" },
  subjects: [{ kind: "ServiceAccount", name: "act", namespace: "casement" }],
};

/** The Windows probe with another specification. */
const changed = (spec: object) => ({ ...windows, spec: { ...windows.spec, ...spec } });
const contained = (change: object) => changed({ containers: [{ ...container, ...change }] });

const bound = "A probe of Casement is bound to a node, names its system and ends within ten minutes";
const bare = "A probe of Casement has neither a token nor a volume";
const onlyProbes = "Casement may only make and delete pods that try a node";
const away = "A probe of Casement has no way to its host";
const image = "A probe of Casement is one container of an image that the configuration names";
const system = "A probe of Casement runs on nodes of its own system";
const needed = "A probe of Casement has only what a probe needs";
const restricted = "A probe of Casement has no more rights than a restricted pod";
const bounded = "A probe of Casement asks for at most one CPU and 1 Gi of memory";

const onLinux = { id: "one", node: "lin", image: "registry.example.com/busybox:1", outside };
const linux = linuxProbe(onLinux, "10.132.0.5", NOBODY);
const [linuxContainer] = linux.spec.containers as readonly { readonly securityContext: object }[];
/** The Linux probe with another security context of its container. */
const secured = (change: object) => ({
  ...linux,
  spec: {
    ...linux.spec,
    containers: [{ ...linuxContainer, securityContext: { ...linuxContainer?.securityContext, ...change } }],
  },
});
const checkedLinux = {
  ...linux,
  spec: { ...linux.spec, containers: [{ ...linuxContainer, readinessProbe: { tcpSocket: { port: 8_081 } } }] },
};
/** The Windows probe with another check of its readiness. */
const readied = (readinessProbe: object) => contained({ readinessProbe });
const named = (change: object) => ({ ...windows, metadata: { ...windows.metadata, ...change } });

const badProbes: [string, object, string][] = [
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
  ["of another image", contained({ image: "evil.example.com/servercore:ltsc2022" }), image],
  [
    "of an image whose name begins alike",
    contained({ image: `${"registry.example.com/servercore"}:ltsc2022x` }),
    image,
  ],
  ["of two containers", changed({ containers: [container, { ...container, name: "two" }] }), image],
  [
    "of a hundred containers",
    changed({ containers: Array.from({ length: 100 }, (_, at) => ({ ...container, name: `c${at}` })) }),
    image,
  ],
  ["on a node of any system", changed({ nodeSelector: undefined }), system],
  ["on Linux that says it is of Windows", changed({ nodeSelector: { "kubernetes.io/os": "linux" } }), system],
  [
    "on the control plane",
    changed({ nodeSelector: { "kubernetes.io/os": "windows", "node-role.kubernetes.io/master": "" } }),
    system,
  ],
  ["before every other pod", changed({ priorityClassName: "system-node-critical" }), needed],
  ["with a priority", changed({ priority: 2_000_001_000 }), needed],
  ["as another account", changed({ serviceAccountName: "join" }), needed],
  ["among its host's users", changed({ hostUsers: true }), needed],
  ["with name servers of its own", changed({ dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.1"] } }), needed],
  ["with names of its own", changed({ hostAliases: [{ ip: "192.0.2.1", hostnames: ["kubernetes.default"] }] }), needed],
  ["with a device", changed({ resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] }), needed],
  ["that shares its processes", changed({ shareProcessNamespace: true }), needed],
  ["that stays for ever", named({ finalizers: ["example.com/never"] }), needed],
  ["in another network", named({ annotations: { "k8s.v1.cni.cncf.io/networks": "control-plane" } }), needed],
  [
    "without a profile, by an annotation",
    named({ annotations: { "container.apparmor.security.beta.kubernetes.io/probe": "unconfined" } }),
    needed,
  ],
  ["with a command of its start", contained({ lifecycle: { postStart: { exec: { command: ["x"] } } } }), needed],
  ["with arguments", contained({ args: ["x"] }), needed],
  ["with a command of its readiness", readied({ exec: { command: ["x"] } }), needed],
  ["that its host reaches at another port", readied({ tcpSocket: { port: 10_250 } }), needed],
  ["whose host is sent elsewhere", readied({ tcpSocket: { port: 8_081, host: "169.254.169.254" } }), needed],
  ["with a readiness that calls a page", readied({ httpGet: { port: 8_081, path: "/" } }), needed],
  ["with a check of its life", contained({ livenessProbe: { tcpSocket: { port: 8_081 } } }), needed],
  ["on Linux with a readiness", checkedLinux, needed],
  ["as root of its pod", changed({ securityContext: { runAsUser: 0 } }), restricted],
  ["without seccomp for its pod", changed({ securityContext: { seccompProfile: { type: "Unconfined" } } }), restricted],
  [
    "with sysctls",
    changed({ securityContext: { sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }] } }),
    restricted,
  ],
  ["of a privileged SELinux type", changed({ securityContext: { seLinuxOptions: { type: "spc_t" } } }), restricted],
  ["as root on Linux", secured({ runAsUser: 0 }), restricted],
  ["that may be root on Linux", secured({ runAsNonRoot: undefined }), restricted],
  ["without seccomp on Linux", secured({ seccompProfile: { type: "Unconfined" } }), restricted],
  ["without AppArmor on Linux", secured({ appArmorProfile: { type: "Unconfined" } }), restricted],
  ["with an unmasked /proc", secured({ procMount: "Unmasked" }), restricted],
  ["with a SELinux type on Linux", secured({ seLinuxOptions: { type: "spc_t" } }), restricted],
  ["that may gain rights on Linux", secured({ allowPrivilegeEscalation: true }), restricted],
  ["that keeps its capabilities on Linux", secured({ capabilities: {} }), restricted],
  ["with 64 cores", contained({ resources: { requests: { cpu: "64" } } }), bounded],
  ["with 2 Gi", contained({ resources: { requests: { memory: "2Gi" } } }), bounded],
  [
    "with a device of the node",
    contained({ resources: { requests: { "example.com/gpu": "1" }, limits: { "example.com/gpu": "1" } } }),
    bounded,
  ],
  ["without the label", { ...windows, metadata: { ...windows.metadata, labels: {} } }, onlyProbes],
  [
    "whose label names another system",
    { ...windows, metadata: { ...windows.metadata, labels: { [PROBE_LABEL]: "linux" } } },
    onlyProbes,
  ],
  ["of another name", { ...windows, metadata: { ...windows.metadata, name: "shop-1-windows" } }, onlyProbes],
];

describe("of pods, the account that acts", () => {
  it("may make both halves of a probe, and delete them", async () => {
    const witness = witnessProbe({ id: "two", node: "win", image: "registry.example.com/servercore:ltsc2022" });
    for (const pod of [windows, witness, linuxProbe(onLinux, "10.132.0.5", NOBODY)]) {
      const body = { apiVersion: "v1", kind: "Pod", ...pod };
      expect(await act(`POST ${PODS}`, body)).toMatchObject({ status: 201 });
      expect((await act(`DELETE ${PODS}/${pod.metadata.name}`)).status).toBe(200);
    }
  });

  it.each(badProbes)("may make none %s", async (_, pod, message) => {
    const answer = await act(`POST ${PODS}`, { apiVersion: "v1", kind: "Pod", ...pod });
    expect(answer.status).toBe(403);
    expect(answer.body).toMatchObject({ message: expect.stringContaining(message) });
  });

  it.each([
    [
      "one CPU and 1 Gi",
      {
        ...contained({ resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1" } } }),
        metadata: { ...windows.metadata, name: "probe-four-windows" },
      },
    ],
    [
      "what OpenShift adds to a pod",
      {
        ...linux,
        metadata: { ...linux.metadata, name: "probe-four-linux", annotations: { "openshift.io/scc": "restricted-v2" } },
        spec: {
          ...linux.spec,
          serviceAccountName: "default",
          imagePullSecrets: [{ name: "default-dockercfg" }],
          securityContext: {
            seLinuxOptions: { level: "s0:c26,c25" },
            fsGroup: 1_000_680_000,
            seccompProfile: { type: "RuntimeDefault" },
          },
        },
      },
    ],
  ])("may make one with %s", async (_, pod) => {
    expect((await act(`POST ${PODS}`, { apiVersion: "v1", kind: "Pod", ...pod })).status).toBe(201);
    expect((await act(`DELETE ${PODS}/${pod.metadata.name}`)).status).toBe(200);
  });

  it.each([
    ["without the probe's label", { name: "probe-foreign", labels: { app: "shop" } }],
    ["with no label at all", { name: "probe-bare" }],
    ["with the label and another name", { name: "shop-1", labels: { [PROBE_LABEL]: "windows" } }],
    ["with the label and a half's name reversed", { name: "probe-two-linux", labels: { [PROBE_LABEL]: "windows" } }],
  ])("may not delete a pod of others in its own namespace, such as one %s", async (_, metadata) => {
    const spec = { nodeName: "lin", containers: [{ name: "main", image: "pause" }] };
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { ...metadata, namespace: "casement" }, spec };
    expect((await cluster.admin(`POST ${PODS}`, pod)).status).toBe(201);
    for (const query of ["", "?dryRun=All", "?gracePeriodSeconds=0"]) {
      const answer = await act(`DELETE ${PODS}/${metadata.name}${query}`);
      expect(answer.status).toBe(403);
      expect(answer.body).toMatchObject({ message: expect.stringContaining(onlyProbes) });
    }
    expect((await cluster.admin(`GET ${PODS}/${metadata.name}`)).body).not.toHaveProperty("metadata.deletionTimestamp");
  });

  it("may not change a probe, nor delete pods all at once, whatever else it is granted", async () => {
    await cluster.admin("POST /apis/rbac.authorization.k8s.io/v1/namespaces/casement/rolebindings", everyPodVerb);
    await cluster.admin("POST /apis/rbac.authorization.k8s.io/v1/namespaces/casement/roles", everyPodVerbRole);
    const probe = {
      apiVersion: "v1",
      kind: "Pod",
      ...windowsProbe({ id: "three", node: "lin", image: "registry.example.com/s:1" }),
    };
    const foreign = { ...probe, metadata: { namespace: "casement", name: "foreign-three" } };
    expect((await act(`POST ${PODS}`, probe)).status).toBe(201);
    expect((await cluster.admin(`POST ${PODS}`, foreign)).status).toBe(201);
    const body = { metadata: { labels: { [PROBE_LABEL]: null } } };
    const relabelled = await act(`PATCH ${PODS}/probe-three-windows`, body, mergePatch);
    expect(relabelled).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining("Casement may not change a pod") },
    });
    const adopted = await act(
      `PATCH ${PODS}/foreign-three`,
      { metadata: { labels: { [PROBE_LABEL]: "windows" } } },
      mergePatch,
    );
    expect(adopted.status).toBe(403);
    // Admission sees a collection's deletion once per object (k8s endpoints/handlers/delete.go).
    expect((await act(`DELETE ${PODS}?fieldSelector=metadata.name=foreign-three`)).status).toBe(403);
    const debugging = { spec: { ephemeralContainers: [{ name: "debugger", image: "registry.example.com/s:1" }] } };
    const added = await act(`PATCH ${PODS}/probe-three-windows/ephemeralcontainers`, debugging, mergePatch);
    expect(added.status).toBeGreaterThanOrEqual(400);
    expect((await act(`DELETE ${PODS}/probe-three-windows`)).status).toBe(200);
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
