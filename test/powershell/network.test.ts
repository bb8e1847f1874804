import { afterEach, describe, expect, it } from "vitest";
import { freshMachine, type Machine, service } from "../machine-cases/windows.ts";
import { pwsh } from "./pwsh.ts";
import { type ScriptHost, scriptHost, suite } from "./run.ts";

const NAME = "OVNKubernetesHybridOverlayNetwork";
const overlay = { name: NAME, id: "net-1", subnets: ["10.132.1.0/24"], managementIp: "10.0.0.20" };
const hns = { networks: [overlay], endpoints: [] };

/** HNS' rules for a pod's outbound and inbound traffic: everything except the metadata service. */
const metadataRules = [
  { Action: "Block", Direction: "Out", RemoteAddresses: "169.254.169.254/32", Priority: 200 },
  { Action: "Allow", Direction: "In", Priority: 300 },
  { Action: "Allow", Direction: "Out", Priority: 300 },
];

describe.skipIf(!pwsh)(suite("network.ps1"), () => {
  let here: ScriptHost;
  afterEach(() => here.close());

  const lay = (change: Partial<Machine>) => {
    here = scriptHost(freshMachine({ services: { "kube-proxy": service({ state: "Stopped" }) }, ...change }));
    here.write(here.path("kubeconfig"), "{}");
  };
  const network = (change: object = {}) =>
    here.run("network", {
      NodeName: "ip-10-0-0-20.us-west-2.compute.internal",
      ServiceNetwork: "172.30.0.0/16",
      HnsNetwork: NAME,
      CniConfig: here.path("cni.conf"),
      KubeProxyConfig: here.path("kube-proxy.conf"),
      KubeConfig: here.path("kubeconfig"),
      StateFile: here.path("network.json"),
      WaitSeconds: 1,
      ...change,
    });
  const written = (name: string) => JSON.parse(here.read(here.path(name)));

  it("waits for the network, then writes what CNI and kube-proxy need", async () => {
    lay({ later: [{}, {}, { hns }] });
    const { exitCode, stderr } = await network({ WaitSeconds: 30 });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(written("network.json")).toMatchObject({ ok: true, error: "", cniChanged: true, kubeProxyChanged: true });
    expect(written("cni.conf")).toEqual({
      cniVersion: "0.2.0",
      name: NAME,
      type: "win-overlay",
      apiVersion: 2,
      capabilities: { portMappings: true, dns: true },
      ipam: { type: "host-local", subnet: "10.132.1.0/24" },
      policies: [
        {
          name: "EndpointPolicy",
          value: {
            type: "OutBoundNAT",
            settings: { exceptionList: ["172.30.0.0/16"], destinationPrefix: "", needEncap: false },
          },
        },
        {
          name: "EndpointPolicy",
          value: {
            type: "SDNRoute",
            settings: { exceptionList: [], destinationPrefix: "172.30.0.0/16", needEncap: true },
          },
        },
        { name: "EndpointPolicy", value: { type: "ProviderAddress", settings: { providerAddress: "10.0.0.20" } } },
        ...metadataRules.map((settings) => ({ name: "EndpointPolicy", value: { type: "ACL", settings } })),
      ],
    });
    expect(written("kube-proxy.conf")).toMatchObject({
      kind: "KubeProxyConfiguration",
      mode: "kernelspace",
      hostnameOverride: "ip-10-0-0-20.us-west-2.compute.internal",
      clusterCIDR: "10.132.1.0/24",
      clientConnection: { kubeconfig: here.path("kubeconfig") },
      featureGates: {},
      winkernel: { enableDSR: true, networkName: NAME, sourceVip: "10.132.1.2" },
    });
    expect(here.machine().hns.endpoints).toMatchObject([{ name: "VIPEndpoint", network: "net-1", compartment: 1 }]);
    expect(here.machine().services["kube-proxy"]?.state).toBe("Running");
  });

  it("changes nothing the second time and leaves kube-proxy running", async () => {
    lay({ hns });
    await network();
    here.change({ notes: [] });
    await network();
    expect(written("network.json")).toMatchObject({ ok: true, cniChanged: false, kubeProxyChanged: false });
    expect(here.machine().notes).toEqual([]);
  });

  it("replaces the endpoint of a recreated network, and restarts kube-proxy", async () => {
    lay({
      hns: {
        networks: [overlay],
        endpoints: [
          { id: "of a pod", network: "net-1", ip: "10.132.1.7" },
          { name: "VIPEndpoint", id: "old", network: "net-0", ip: "10.132.1.9", compartment: 1 },
        ],
      },
    });
    here.change({ services: { "kube-proxy": service() } });
    await network();
    expect(here.machine().hns.endpoints).toMatchObject([{ id: "of a pod" }, { network: "net-1", ip: "10.132.1.2" }]);
    expect(here.machine().notes).toEqual(["stop kube-proxy", "start kube-proxy"]);
  });

  it("recreates an endpoint that outlived a boot without its attachment, and gives kube-proxy the host's address", async () => {
    const detached = { name: "VIPEndpoint", id: "detached", network: "net-1", ip: "10.132.1.9", compartment: 0 };
    lay({ hns: { networks: [overlay], endpoints: [detached] } });
    expect((await network()).exitCode).toBe(0);
    expect(here.machine().hns.endpoints).toMatchObject([{ ip: "10.132.1.2", compartment: 1 }]);
    expect(written("kube-proxy.conf")).toMatchObject({ winkernel: { sourceVip: "10.132.1.2" } });
  });

  it("names the service that does not start, and stops waiting for it", async () => {
    lay({ hns, services: { "kube-proxy": service({ state: "Stopped", does: "hangs" }) } });
    expect((await network()).exitCode).toBe(1);
    const error = "kube-proxy is StartPending after 60 seconds (process 4711)";
    expect(written("network.json")).toMatchObject({ ok: false, error });
  });

  it("ends with the words of the service that refuses the endpoint", async () => {
    lay({ hns: { ...hns, refusal: "The parameter is incorrect. " } });
    expect((await network()).exitCode).toBe(1);
    const error = "the Host Networking Service refused /endpoints/: The parameter is incorrect.";
    expect(written("network.json")).toMatchObject({ ok: false, error });
  });

  it("enables the feature gates that older versions need", async () => {
    lay({ hns });
    await network({ FeatureGates: "WinDSR,WinOverlay" });
    expect(written("kube-proxy.conf")).toMatchObject({ featureGates: { WinDSR: true, WinOverlay: true } });
  });

  it("fails and writes nothing when the network does not appear", async () => {
    lay({});
    const { exitCode } = await network();
    expect(exitCode).toBe(1);
    const error = `the HNS network ${NAME} did not come within 1 seconds`;
    expect(written("network.json")).toMatchObject({ ok: false, error });
    expect(here.machine().events).toEqual([{ kind: "Warning", id: 4002, text: error }]);
    expect(() => written("cni.conf")).toThrow("ENOENT");
  });
});
