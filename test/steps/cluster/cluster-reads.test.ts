import { describe, expect, test } from "vitest";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { claimOn, claims } from "../../../lambdas/steps/cluster/claims.ts";
import { cluster } from "../../../lambdas/steps/cluster/cluster.ts";
import { kubeletAuthority } from "../../../lambdas/steps/cluster/kubelet-authority.ts";
import { clusterState } from "../../../lambdas/steps/plan/cluster-state.ts";
import { holdOn, stops } from "../../../lambdas/steps/stops.ts";
import { podNamed } from "../../drain/objects.ts";
import { issue } from "../../inputs/trust/issuing.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { answering, xml } from "../answering.ts";
import { type ApiAnswers, apiRefusal, apiServer, clusterSecret, listOf } from "../api-server.ts";
import { launched } from "./cluster-objects.ts";

/** The context of steps on a cluster that answers so; the ledger is empty. */
function on(api: ApiAnswers, ec2 = {}) {
  const { exchange, requests } = apiServer(api);
  const { context } = answering({ ...clusterSecret(), Query: () => ({ body: { Items: [] } }), ...ec2 }, exchange);
  return { context, requests };
}
const words = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch(({ name, message }: Error) => `${name}: ${message}`);

describe("The claims of other controllers", () => {
  const MACHINES = "GET /apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api/machines";
  const HOSTS = "GET /api/v1/namespaces/openshift-windows-machine-config-operator/configmaps/windows-instances";
  const machine = (name: string, id: string | undefined, more: object = {}) => ({
    metadata: { name, ...more },
    spec: id === undefined ? {} : { providerID: `aws:///us-west-2a/${id}` },
  });
  const all = (api: ApiAnswers) => words(claims(on(api).context).all());

  test("are those of Machines, of their sets, and of WMCO's list", async () => {
    const ownerReferences = [
      { kind: "Other", name: "other" },
      { kind: "MachineSet", name: "owner" },
    ];
    const labels = { "machine.openshift.io/cluster-api-machineset": "label" };
    const items = [
      machine("alone", "i-1"),
      machine("owned", "i-2", { ownerReferences, labels }),
      machine("labelled", "i-3", { labels }),
      machine("pending", undefined),
      { metadata: { name: "empty" } },
      machine("unowned", "i-4", { ownerReferences: [{ kind: "Other", name: "other" }] }),
    ];
    const found = await all({
      [MACHINES]: listOf(...items),
      [HOSTS]: { body: { data: { "10.0.0.9": "username=a" } } },
    });
    expect(found).toEqual([
      { machine: "i-1", kind: "machine", owner: "alone" },
      { machine: "i-2", kind: "machine-set", owner: "owner" },
      { machine: "i-3", kind: "machine-set", owner: "label" },
      { machine: "i-4", kind: "machine", owner: "unowned" },
      { machine: "10.0.0.9", kind: "windows-instances", owner: "10.0.0.9" },
    ]);
  });

  test("are none in a cluster without these kinds, and none in empty ones", async () => {
    expect(await all({ [MACHINES]: apiRefusal(404), [HOSTS]: apiRefusal(404) })).toEqual([]);
    expect(await all({ [MACHINES]: { body: {} }, [HOSTS]: { body: {} } })).toEqual([]);
  });

  test.each([
    [{ [MACHINES]: apiRefusal(403), [HOSTS]: apiRefusal(404) }],
    [{ [MACHINES]: apiRefusal(404), [HOSTS]: apiRefusal(403) }],
  ])("are not known without the right to read them", async (api) => {
    expect(await all(api)).toContain("HTTP-Code: 403");
  });

  test("are on a machine by its id, address or name, in any case", () => {
    const claim = (name: string) => ({ machine: name, kind: "windows-instances", owner: "o" }) as const;
    const one = launched();
    for (const name of [one.instanceId, one.privateIp, one.privateDnsName.toUpperCase()])
      expect(claimOn(one, [claim("another"), claim(name)])).toEqual(claim(name));
    expect(claimOn(one, [claim("another")])).toBeUndefined();
  });
});

describe("The facts of a cluster before a launch", () => {
  const paths = {
    infrastructure: "GET /apis/config.openshift.io/v1/infrastructures/cluster",
    network: "GET /apis/operator.openshift.io/v1/networks/cluster",
    dns: "GET /api/v1/namespaces/openshift-dns/services/dns-default",
    wmco: "GET /apis/apps/v1/namespaces/openshift-windows-machine-config-operator/deployments/windows-machine-config-operator",
    nodes: "GET /api/v1/nodes",
  };
  const bare: ApiAnswers = {
    [paths.infrastructure]: apiRefusal(404),
    [paths.network]: apiRefusal(404),
    [paths.dns]: apiRefusal(404),
    [paths.wmco]: apiRefusal(404),
    [paths.nodes]: listOf(),
  };
  const noVpc = { DescribeSecurityGroups: xml("DescribeSecurityGroups") };
  const none = {
    platform: null,
    ownCloudController: false,
    networks: [],
    vpc: [],
    dnsAddress: null,
    wmco: false,
    wmcoNodes: [],
  };
  const pools = configurationWith({}).pools;
  const facts = (api: ApiAnswers, ec2 = {}) =>
    words(cluster(on({ ...bare, ...api }, { ...noVpc, ...ec2 }).context).facts(okd, { pools }));

  test("are none in a cluster that says nothing", async () => {
    expect(await facts({})).toEqual(none);
    const empty = { body: {} };
    expect(
      await facts({
        [paths.infrastructure]: empty,
        [paths.dns]: empty,
        [paths.network]: { body: { spec: {} } },
        [paths.wmco]: { body: { spec: { replicas: 0 } } },
      }),
    ).toEqual(none);
  });

  const platform = (status: object) => ({ [paths.infrastructure]: { body: { status: { platformStatus: status } } } });

  test.each([
    [{ type: "AWS" }, { platform: "AWS" }],
    [{ type: "External", external: {} }, { platform: "External" }],
    [
      { type: "External", external: { cloudControllerManager: { state: "External" } } },
      { platform: "External", ownCloudController: true },
    ],
    [{ type: "External", external: { cloudControllerManager: { state: "None" } } }, { platform: "External" }],
  ])("name the platform of %j", async (status, found) => {
    expect(await facts(platform(status))).toEqual({ ...none, ...found });
  });

  test("list the networks of pods, Services and pods on Windows nodes", async () => {
    const spec = {
      clusterNetwork: [{ cidr: "10.128.0.0/14", hostPrefix: 23 }],
      serviceNetwork: ["172.30.0.0/16"],
      defaultNetwork: {
        ovnKubernetesConfig: {
          hybridOverlayConfig: {
            hybridClusterNetwork: [{ cidr: "10.132.0.0/14", hostPrefix: 24 }, { cidr: "10.9.0.0/16" }],
          },
        },
      },
    };
    expect(await facts({ [paths.network]: { body: { spec } } })).toEqual({
      ...none,
      networks: [
        { of: "pods", cidr: "10.128.0.0/14" },
        { of: "Services", cidr: "172.30.0.0/16" },
        { of: "pods on Windows nodes", cidr: "10.132.0.0/14", hostPrefix: 24 },
        { of: "pods on Windows nodes", cidr: "10.9.0.0/16", hostPrefix: null },
      ],
    });
  });

  test("list the associated networks of the VPC of the pools' security groups", async () => {
    const group = "<securityGroupInfo><item><vpcId>vpc-1</vpcId></item></securityGroupInfo>";
    const range = (cidr: string, state: string) =>
      `<item><cidrBlock>${cidr}</cidrBlock><cidrBlockState><state>${state}</state></cidrBlockState></item>`;
    const ranges = range("10.0.0.0/16", "associated") + range("10.1.0.0/16", "disassociated");
    const vpcs = `<vpcSet><item><cidrBlockAssociationSet>${ranges}</cidrBlockAssociationSet></item></vpcSet>`;
    const ec2 = {
      DescribeSecurityGroups: xml("DescribeSecurityGroups", group),
      DescribeVpcs: xml("DescribeVpcs", vpcs),
    };
    expect(await facts({}, ec2)).toEqual({ ...none, vpc: ["10.0.0.0/16"] });
  });

  test("have the address of the cluster's DNS, also without the right to read it", async () => {
    expect(await facts({ [paths.dns]: { body: { spec: { clusterIP: "172.30.0.10" } } } })).toEqual({
      ...none,
      dnsAddress: "172.30.0.10",
    });
    expect(await facts({ [paths.dns]: apiRefusal(403) })).toEqual(none);
    expect(await facts({ [paths.dns]: apiRefusal(503) })).toContain("HTTP-Code: 503");
  });

  test("know WMCO by its Deployment, and its nodes by their annotation", async () => {
    const annotated = (name: string, os: string, version: string) => ({
      metadata: {
        name,
        labels: { "kubernetes.io/os": os },
        annotations: { "windowsmachineconfig.openshift.io/version": version },
      },
    });
    const nodes = [
      annotated("win-1", "windows", "10"),
      annotated("linux-1", "linux", "10"),
      annotated("win-2", "windows", ""),
    ];
    expect(await facts({ [paths.wmco]: { body: { spec: {} } }, [paths.nodes]: listOf(...nodes) })).toEqual({
      ...none,
      wmco: true,
      wmcoNodes: ["win-1"],
    });
  });
});

describe("The authorities of kubelets", () => {
  const PLACE = "GET /apis/machineconfiguration.openshift.io/v1/controllerconfigs/machine-config-controller";
  const published = (text: string) => ({
    [PLACE]: { body: { spec: { kubeAPIServerServingCAData: Buffer.from(text).toString("base64") } } },
  });
  const read = (api: ApiAnswers, kubeletClientAuthority?: string) =>
    words(
      kubeletAuthority(on(api).context).read(
        configurationWith(kubeletClientAuthority ? { kubeletClientAuthority } : {}),
      ),
    );
  const missing = "the cluster has no ControllerConfig machine-config-controller";

  test("are those that the cluster publishes", async () => {
    const { pem } = await issue({ subject: "CN=signer" });
    expect(await read(published(pem))).toMatchObject({ pem, authorities: [{ subject: "CN=signer" }], why: null });
  });

  test("are the configured ones where the cluster publishes none, with the reason", async () => {
    const { pem } = await issue({ subject: "CN=configured" });
    expect(await read({ [PLACE]: apiRefusal(404) }, pem)).toMatchObject({
      pem,
      authorities: [{ subject: "CN=configured" }],
      why: `${missing}; the kubelet trusts the authorities of the configuration instead`,
    });
  });

  test.each<[string, ApiAnswers, string | undefined, string]>([
    [
      "published and not configured",
      { [PLACE]: apiRefusal(404) },
      undefined,
      `Refused:authority-unreadable: ${missing}, and cluster.kubeletClientAuthority is not set in the configuration`,
    ],
    [
      "allowed to be read",
      { [PLACE]: apiRefusal(403) },
      undefined,
      "Refused:authority-unreadable: Casement is not allowed to read ControllerConfig machine-config-controller: apply the manifest (`npm run --silent connect -- manifest | kubectl apply -f -`), and cluster.kubeletClientAuthority is not set in the configuration",
    ],
    [
      "readable in the configuration",
      { [PLACE]: apiRefusal(404) },
      "-----BEGIN CERTIFICATE-----\nMIIB",
      "Refused:authority-unreadable: cluster.kubeletClientAuthority of the configuration is cut off inside a certificate, so no kubelet was started",
    ],
    [
      "certificates",
      published("none"),
      undefined,
      "Refused:authority-unreadable: ControllerConfig machine-config-controller, spec.kubeAPIServerServingCAData, holds no certificate, so no kubelet was started",
    ],
    [
      "certificates that can be read",
      published("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"),
      undefined,
      "Refused:authority-unreadable: ControllerConfig machine-config-controller, spec.kubeAPIServerServingCAData, holds a certificate that cannot be read (",
    ],
  ])("are refused where they are not %s", async (_what, api, configured, said) => {
    expect(await read(api, configured)).toEqual(expect.stringContaining(said));
  });

  test("are not judged while the server is busy", async () => {
    expect(await read({ [PLACE]: apiRefusal(503) }, "any")).toContain("HTTP-Code: 503");
  });
});

describe("Where pods may go", () => {
  const paths = {
    classes: "GET /apis/node.k8s.io/v1/runtimeclasses",
    claims: "GET /api/v1/persistentvolumeclaims",
    volumes: "GET /api/v1/persistentvolumes",
    pods: "GET /api/v1/pods",
  };
  const plain = podNamed("web-0");
  const classed = podNamed("web-1", { spec: { runtimeClassName: "windows-2022" } });
  const claiming = podNamed("db-0", {
    spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] },
  });
  const pods = { [paths.pods]: listOf({ metadata: { name: "one" } }) };

  test("is decided by pods alone where none asks for more", async () => {
    const { context, requests } = on(pods);
    const { cluster: seen, unread } = await clusterState(context)([plain], []);
    expect(seen).toMatchObject({ nodes: [], pods: [{ metadata: { name: "one" } }], runtimeClasses: [] });
    expect(seen.volumesAllow(claiming, {})).toBe(true);
    expect([unread, requests.length]).toEqual([[], 1]);
  });

  test("takes RuntimeClasses and volumes where a pod names them", async () => {
    const api = {
      ...pods,
      [paths.classes]: listOf({ metadata: { name: "windows-2022" } }),
      [paths.claims]: listOf({ metadata: { namespace: "shop", name: "data" }, spec: { volumeName: "pv-1" } }),
      [paths.volumes]: listOf({
        metadata: { name: "pv-1" },
        spec: {
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "zone", operator: "In", values: ["us-west-2a"] }] }],
            },
          },
        },
      }),
    };
    const { cluster: seen, unread } = await clusterState(on(api).context)([plain, classed, claiming], []);
    expect([seen.runtimeClasses, unread]).toMatchObject([[{ metadata: { name: "windows-2022" } }], []]);
    const inZone = (zone: string) => ({ metadata: { name: "n", labels: { zone } } });
    expect(["us-west-2a", "us-west-2b"].map((zone) => seen.volumesAllow(claiming, inZone(zone)))).toEqual([
      true,
      false,
    ]);
    expect(seen.volumesAllow(plain, inZone("us-west-2b"))).toBe(true);
    const elsewhere = { ...claiming, metadata: { ...claiming.metadata, namespace: "other" } };
    expect(seen.volumesAllow(elsewhere, inZone("us-west-2b"))).toBe(true);
  });

  test("is not hindered by what may not be read, which is named", async () => {
    const api = {
      ...pods,
      [paths.classes]: apiRefusal(403, "no classes"),
      [paths.claims]: apiRefusal(403, "no claims"),
    };
    const { cluster: seen, unread } = await clusterState(on(api).context)([classed, claiming], []);
    expect(unread).toEqual(["RuntimeClasses (no classes)", "volumes (no claims)"]);
    expect([seen.runtimeClasses, seen.volumesAllow(claiming, {})]).toEqual([[], true]);
  });

  test("is not decided by a busy server, nor by a list without items", async () => {
    const busy = { ...pods, [paths.classes]: apiRefusal(503) };
    expect(await words(clusterState(on(busy).context)([classed], []))).toContain("HTTP-Code: 503");
    const empty = { ...pods, [paths.classes]: { body: {} } };
    expect((await clusterState(on(empty).context)([classed], [])).cluster.runtimeClasses).toEqual([]);
  });
});

describe("What stops Casement with kubectl", () => {
  const NAMESPACE = "GET /api/v1/namespaces/casement";
  const held = { metadata: { name: "win-1", uid: "u-1", annotations: { "casement.dev/hold": "tests" } } };
  const hold = {
    kind: "hold",
    target: { kind: "node", uid: "u-1", name: "win-1" },
    reason: "tests",
    by: "the annotation casement.dev/hold on Node win-1",
    at: null,
    until: null,
  };
  const frozen = { body: { metadata: { annotations: { "casement.dev/freeze": "audit" } } } };
  const freeze = {
    kind: "freeze",
    target: { kind: "cluster" },
    reason: "audit",
    by: "the annotation casement.dev/freeze on Namespace casement",
    at: null,
    until: null,
  };

  test("is the annotation of a Node", () => {
    expect(holdOn(held)).toEqual([hold]);
    expect([holdOn(null), holdOn(undefined), holdOn({ metadata: { name: "win-1" } })]).toEqual([[], [], []]);
  });

  test.each<[string, ApiAnswers[string], unknown]>([
    ["is frozen", frozen, [freeze]],
    ["is not frozen", { body: { metadata: { annotations: { a: "b" } } } }, []],
    ["has no annotation", { body: {} }, []],
    ["does not exist", apiRefusal(404), []],
    ["may not be read", apiRefusal(403), expect.stringContaining("HTTP-Code: 403")],
  ])("is the namespace that %s", async (_what, answer, found) => {
    expect(await words(stops(on({ [NAMESPACE]: answer }).context).ofNamespace())).toEqual(found);
  });

  test("is first the node's own, then the cluster's", async () => {
    const over = (answer: ApiAnswers[string], node: Parameters<ReturnType<typeof stops>["over"]>[0]) =>
      words(stops(on({ [NAMESPACE]: answer }).context).over(node, "web"));
    expect(await over(frozen, held)).toEqual(hold);
    expect(await over(frozen, null)).toEqual(freeze);
    expect(await over({ body: {} }, { metadata: { name: "win-2", uid: "u-2" } })).toBeNull();
    expect(await over(apiRefusal(503), held)).toContain("HTTP-Code: 503");
  });
});
