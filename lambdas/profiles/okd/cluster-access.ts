import type { Access } from "../../cluster/cluster-access.ts";

/** Kinds of objects that name mirrors of registries. */
const mirrors = [
  { group: "config.openshift.io", resource: "imagedigestmirrorsets", words: "ImageDigestMirrorSet" },
  { group: "config.openshift.io", resource: "imagetagmirrorsets", words: "ImageTagMirrorSet" },
  { group: "operator.openshift.io", resource: "imagecontentsourcepolicies", words: "ImageContentSourcePolicy" },
] as const;

const readingMirrors = mirrors.flatMap(({ words, ...kind }): Access[] => [
  { does: `read an ${words}`, verb: "get", ...kind },
  { does: `list objects of the kind ${words}`, verb: "list", ...kind },
]);

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
    does: "read the address of the cluster's DNS Service",
    verb: "get",
    group: "",
    resource: "services",
    name: "dns-default",
  },
  {
    does: "read the kubelets' client authority",
    verb: "get",
    group: "machineconfiguration.openshift.io",
    resource: "controllerconfigs",
    name: "machine-config-controller",
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
  ...readingMirrors,
  {
    does: "read how the cluster reaches registries",
    verb: "get",
    group: "config.openshift.io",
    resource: "images",
    name: "cluster",
  },
  {
    does: "read the cluster's proxy",
    verb: "get",
    group: "config.openshift.io",
    resource: "proxies",
    name: "cluster",
  },
  {
    does: "read the ConfigMaps with trusted authorities",
    verb: "get",
    group: "",
    resource: "configmaps",
    namespace: "openshift-config",
  },
];
