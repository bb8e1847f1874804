import type { Access } from "../../desired/cluster-access.ts";

/** OpenShift's own objects that every account reads, and why. */
export const reading: readonly Access[] = [
  {
    does: "look at the cluster's network",
    verb: "get",
    group: "operator.openshift.io",
    resource: "networks",
    name: "cluster",
  },
  {
    does: "read the authority that kubelets must trust",
    verb: "get",
    group: "machineconfiguration.openshift.io",
    resource: "controllerconfigs",
    name: "machine-config-controller",
  },
  { does: "see a Machine", verb: "get", group: "machine.openshift.io", resource: "machines" },
  { does: "see which machines a Machine claims", verb: "list", group: "machine.openshift.io", resource: "machines" },
  {
    does: "see the machines that WMCO was given",
    verb: "get",
    group: "",
    resource: "configmaps",
    name: "windows-instances",
  },
  {
    does: "see whether WMCO is at work",
    verb: "get",
    group: "apps",
    resource: "deployments",
    name: "windows-machine-config-operator",
  },
  {
    does: "see what the cluster was installed on",
    verb: "get",
    group: "config.openshift.io",
    resource: "infrastructures",
    name: "cluster",
  },
];
