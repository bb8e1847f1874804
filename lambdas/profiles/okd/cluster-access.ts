import type { Access } from "../../cluster/cluster-access.ts";

/** OpenShift's own objects that every account reads, with the reason. */
export const reading: readonly Access[] = [
  {
    does: "read the cluster's network",
    verb: "get",
    group: "operator.openshift.io",
    resource: "networks",
    name: "cluster",
  },
  {
    does: "read the kubelets' client authority",
    verb: "get",
    group: "machineconfiguration.openshift.io",
    resource: "controllerconfigs",
    name: "machine-config-controller",
  },
  {
    does: "list mirror sets by digest",
    verb: "list",
    group: "config.openshift.io",
    resource: "imagedigestmirrorsets",
  },
  { does: "list mirror sets by tag", verb: "list", group: "config.openshift.io", resource: "imagetagmirrorsets" },
  {
    does: "list the older mirror sets",
    verb: "list",
    group: "operator.openshift.io",
    resource: "imagecontentsourcepolicies",
  },
  {
    does: "read the image configuration",
    verb: "get",
    group: "config.openshift.io",
    resource: "images",
    name: "cluster",
  },
  { does: "read a Machine", verb: "get", group: "machine.openshift.io", resource: "machines" },
  { does: "list Machines", verb: "list", group: "machine.openshift.io", resource: "machines" },
  {
    does: "see which MachineHealthChecks may delete a Machine",
    verb: "list",
    group: "machine.openshift.io",
    resource: "machinehealthchecks",
  },
  {
    does: "read WMCO's list of machines",
    verb: "get",
    group: "",
    resource: "configmaps",
    name: "windows-instances",
  },
  {
    does: "read WMCO's Deployment",
    verb: "get",
    group: "apps",
    resource: "deployments",
    name: "windows-machine-config-operator",
  },
  {
    does: "read the cluster's platform",
    verb: "get",
    group: "config.openshift.io",
    resource: "infrastructures",
    name: "cluster",
  },
];
