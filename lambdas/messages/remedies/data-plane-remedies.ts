import type { CodeRemedies } from "./remedy.ts";

/** Faults of the data plane of a node that joins: users' pods are not there yet. */
export const dataPlaneCodes = {
  "pod-network-missing": {
    cause: "the container network of the new machine is broken: its kubelet cannot give a pod an address",
    remedy:
      "read `kubectl -n casement get events` and the logs under `C:\\var\\log`, then terminate it and add another one",
  },
  "pod-resolves-nothing": {
    cause: "the new machine does not reach the cluster's DNS: its overlay or its kube-proxy does not work",
    remedy:
      "if pods on other Windows nodes resolve names, terminate it and add another one; otherwise check the pods of the cluster's DNS",
  },
  "pod-reaches-no-service": {
    cause: "kube-proxy on the new machine does not serve Services, or the nodes' group does not admit the machine",
    remedy: "read `C:\\var\\log\\kube-proxy`, and compare the pool's security group with that of other nodes",
  },
  "pod-reaches-metadata": {
    cause: "pods on the new machine reach the metadata service, and with it the role of the nodes",
    remedy: "check the hop limit in the instance's metadata options, which must be 1, then terminate the machine",
  },
  "pod-unreached": {
    cause: "packets of other nodes do not reach pods on the new machine",
    remedy: "open UDP 4789 (or `cluster.hybridOverlayPort`) in both directions, and compare its subnet's network ACL",
  },
  "pod-unreached-by-host": {
    cause: "the new machine does not reach its own pods, so that every readiness probe would fail",
    remedy: "terminate it and add another one; if that fails too, keep it and read the routes of its host",
    ofKept: "read the routes of its host on it: `route print`",
  },
  "pod-reaches-nothing-outside": {
    cause:
      "pods on the new machine reach nothing outside of the cluster, and pods on a Linux node do: its subnet has no way out, a security group or a firewall stops them, or its host does not translate their addresses (SNAT)",
    remedy:
      "compare the route table of its subnet (NAT gateway), its security group and the egress firewall with those of nodes that work; if they agree, terminate it and add another one",
  },
} as const satisfies CodeRemedies;
