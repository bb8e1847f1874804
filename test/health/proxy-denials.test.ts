import { expect, test } from "vitest";
import { nodesDeniedByProxy } from "../../lambdas/health/proxy-denials.ts";

const pod = (nodeName: string, message: string, statuses = "containerStatuses") => ({
  spec: { nodeName },
  status: { [statuses]: [{ state: { waiting: { message } } }] },
});

test("nodes are denied by a proxy whose kubelets report a 407, of a tunnel or of a plain request, in any container", () => {
  const denied = nodesDeniedByProxy([
    pod("tunnel", 'Head "https://quay.io/v2/": Proxy Authentication Required'),
    pod("plain", "unexpected status from HEAD request: 407 Proxy Authentication Required", "initContainerStatuses"),
    pod("backing-off", 'Back-off pulling image "a": ErrImagePull: proxy authentication required'),
    pod("refused", "unexpected status from HEAD request: 403 Forbidden"),
    { spec: { nodeName: "running" }, status: { containerStatuses: [{ state: {} }] } },
    { status: {} },
  ]);
  expect([...denied]).toEqual(["tunnel", "plain", "backing-off"]);
});
