import { describe, expect, it } from "vitest";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const configuration = configurationWith({ serviceNetwork: "172.30.0.0/16", hybridOverlayPort: 4789 });
const hybridClusterNetwork = [{ cidr: "10.132.0.0/14", hostPrefix: 23 }];

const networkWith = (overlay?: object, more: object = {}, type = "OVNKubernetes") => ({
  spec: {
    serviceNetwork: ["172.30.0.0/16"],
    defaultNetwork: { type, ...(overlay ? { ovnKubernetesConfig: { hybridOverlayConfig: overlay } } : {}) },
    ...more,
  },
});

describe("the cluster's network", () => {
  it.each([
    ["with its port left out", { hybridClusterNetwork }],
    ["with the standard port", { hybridClusterNetwork, hybridOverlayVXLANPort: 4789 }],
  ])("is right %s", (_, overlay) => {
    expect(okd.network.findings(networkWith(overlay), configuration)).toEqual([]);
  });

  it.each([
    ["without an overlay", networkWith()],
    ["with an overlay of no range", networkWith({ hybridClusterNetwork: [] })],
    ["of another kind", networkWith({ hybridClusterNetwork }, {}, "OpenShiftSDN")],
  ])("has no place for Windows nodes %s", (_, found) => {
    expect(okd.network.findings(found, configuration)).toMatchObject([{ kind: "no-hybrid-network" }]);
  });

  it("must use the overlay port and the service network that machines are configured with", () => {
    const overlay = { hybridClusterNetwork, hybridOverlayVXLANPort: 9898 };
    expect(okd.network.findings(networkWith(overlay, { serviceNetwork: ["10.96.0.0/12"] }), configuration)).toEqual([
      { kind: "network-differs", what: "the overlay's port", cluster: "9898", configured: "4789" },
      { kind: "network-differs", what: "the service network", cluster: "10.96.0.0/12", configured: "172.30.0.0/16" },
    ]);
  });
});
