import type { StageOf } from "../../stages.ts";
import type { Remedy } from "../operation/remedy.ts";

const anotherNode = "terminate the machine and add another one";
const readLog = "read the program's last lines, and its log under `C:\\var\\log`";

/** Known failures of the stages of provisioning, in the order in which they are tried. */
export const provisionRemedies: Partial<Readonly<Record<StageOf<"provision">, readonly Remedy[]>>> = {
  launch: [
    {
      says: ["VcpuLimitExceeded"],
      cause: "the account's quota of vCPUs is used up",
      remedy: 'ask AWS for a higher quota ("Running On-Demand Standard instances")',
      isHopeless: true,
    },
    {
      says: ["InsufficientFreeAddressesInSubnet"],
      cause: "the subnet has no free addresses",
      remedy: "remove what is not needed there, or add a subnet to the pool",
      isHopeless: true,
    },
    {
      says: ["EC2 has no capacity in any subnet"],
      cause: "EC2 has no room for the pool's instance types in the pool's subnets now",
      remedy: "try later, or add instance types or subnets to the pool",
      isHopeless: true,
    },
    {
      says: ["UnauthorizedOperation"],
      cause: "the role was changed, or a service control policy forbids it",
      remedy: "deploy again, or ask who owns the policy",
    },
    {
      says: ["Client.InternalError"],
      cause: "the key that encrypts the volumes could not be used",
      remedy: "put the key's ARN into the configuration as `aws.volumeKey` and deploy",
    },
    {
      says: ["is claimed by"],
      cause: "EC2 gave the new machine an address that stands in another controller's list",
      remedy: "take the entry out there, and terminate the machine",
    },
    {
      says: ["join slots"],
      cause: "twenty machines are joining already",
      remedy: "try again when they have joined",
    },
    {
      says: ["pending certificate requests"],
      cause: "other certificate requests pile up in the cluster",
      remedy: "look at `kubectl get csr`, and approve or delete what is not wanted",
    },
    {
      says: ["the execution never started"],
      cause: "Lambda did not start the node's execution within 15 minutes",
      remedy: "see throttles and dead letters",
    },
  ],
  agent: [
    {
      says: [],
      cause: "Windows did not come up, or the machine does not reach SSM",
      remedy:
        "compare the subnet's route table and the endpoints' security groups; the console output shows Windows' boot",
    },
  ],
  guard: [
    {
      says: ["not the one of this release"],
      cause: "the node was set up by another release of Casement",
      remedy: "run the command guard on the node, then try again",
    },
    {
      says: ["SSM agent does not answer", "the command was cancelled (Cancelled)"],
      cause: "the SSM agent of the machine is silent, mostly because its metadata route is lost",
      remedy: "reboot it through EC2, with the button or in the console: a guard that is installed runs at start-up",
    },
    {
      says: ["not installed as a scheduled task"],
      cause: "the task was removed, possibly by an antivirus",
      remedy: "let the antivirus of the image admit the task `Casement guard`",
    },
    {
      says: ["network paths to choose from"],
      cause: "the machine has several default gateways, or none",
      remedy: "attach one network interface alone",
    },
    {
      says: ["C:\\Casement\\guard.ps1"],
      cause: "the machine could not read the bucket, or the content was not the one wanted",
      remedy: "look at the bucket policy and at an S3 endpoint's policy",
    },
    {
      says: ["The RPC server is unavailable"],
      cause: "Windows Management Instrumentation does not run or is damaged",
      remedy: anotherNode,
    },
    {
      says: [],
      cause: "the guard could not repair the route to the metadata service",
      remedy: "read `C:\\Casement\\guard.json`, and look at the instance's metadata options",
    },
  ],
  features: [
    {
      says: ["container networks exist already"],
      cause: "the image is not AWS's own",
      remedy: "use an image of AWS's for the pool",
    },
    {
      says: ["did not happen", "its boot id has not changed", "reboot.ps1 failed"],
      cause: "the reboot did not take place",
      remedy: anotherNode,
    },
    {
      says: ["not installed after the reboot", "Windows requires another reboot"],
      cause: "the image carries an unfinished update",
      remedy: "terminate it, and look whether the newest image of AWS has a known fault",
    },
    {
      says: ["feature Containers"],
      cause: "Windows could not install the feature; its error code says why",
      remedy: "add another node; if that fails too, keep it and read `C:\\Windows\\Logs\\DISM\\dism.log`",
    },
  ],
  payload: [
    {
      says: ["the content has sha256"],
      cause: "the object in the bucket is not the one that the manifest names",
      remedy: "upload that file again and deploy",
    },
    {
      says: ["Access Denied", "NoSuchVersion"],
      cause: "the object's version was deleted, or a policy keeps the node's role out",
      remedy: "list the object's versions, and compare the policies of bucket and endpoint",
    },
  ],
  configure: [
    {
      says: ["C:\\k\\bootstrap-kubeconfig"],
      cause: "the machine could not read its join secret",
      remedy: "look whether the secret exists, and at the policy of the Secrets Manager endpoint",
    },
    {
      says: ["service-state", "stopped while it started"],
      cause: "the program ended early; often the payload's version does not fit",
      remedy: `${readLog}, and compare \`cluster.version\` with \`kubectl version\``,
    },
    {
      says: ["is forbidden", "denied request"],
      cause: "the cluster's manifest is missing or old",
      remedy: "apply what `npm run --silent connect -- manifest` prints",
    },
    {
      says: ["so no kubelet was started", "cluster.kubeletClientAuthority"],
      cause: "the authority that kubelets trust cannot be read",
      remedy: "look at `oc get controllerconfig machine-config-controller` and at `cluster.kubeletClientAuthority`",
    },
    {
      says: ["Kubernetes 1.30 or newer"],
      cause: "the cluster is too old",
      remedy: "update the cluster",
      isHopeless: true,
    },
    {
      says: ["cannot use the overlay port"],
      cause: "the cluster's VXLAN port is not 4789",
      remedy: "use 2022 or 2025 for this pool",
      isHopeless: true,
    },
  ],
  "client-csr": [
    {
      says: ["was denied by"],
      cause: "a policy or a person denies this machine",
      remedy: "let requests of the node bootstrapper for this name pass",
    },
    {
      says: ["no request of this machine was approved"],
      cause: "another machine has registered under this name",
      remedy: "terminate the machine, delete the Node, and look for the other one in the audit log",
    },
    {
      says: [],
      cause: "the machine does not reach `cluster.apiServer`, or its token was refused",
      remedy: "look at `kubectl get csr` and at the near misses in the thread",
    },
  ],
  node: [
    {
      says: [],
      cause: "the kubelet cannot register, or its name is not EC2's private DNS name",
      remedy: "read `C:\\var\\log\\kubelet`, and look at the subnet's DHCP options",
    },
  ],
  "serving-csr": [
    {
      says: [],
      cause: "the kubelet requested an address that EC2 does not know of the machine",
      remedy: "look at `kubectl get csr` and at the near misses in the thread",
    },
  ],
  network: [
    {
      says: ["to give the Node a subnet"],
      cause: "the hybrid overlay is not configured, or its network is used up",
      remedy: "look for `hybridOverlayConfig` in `oc get network.operator cluster -o yaml`",
    },
    {
      says: ["to announce its gateway"],
      cause: "the overlay on the machine does not reach the others",
      remedy: "open UDP 4789 (or `cluster.hybridOverlayPort`) both ways",
    },
    {
      says: [],
      cause: "network.ps1 ended with an error",
      remedy: "read `C:\\Casement\\network.json` and the logs under `C:\\var\\log`",
    },
  ],
  ready: [{ says: [], cause: "the kubelet names its reason", remedy: "run `kubectl describe node` for this node" }],
  verify: [
    {
      says: ["windows-build"],
      cause: "the image is not of the pool's Windows release",
      remedy: "correct the pool's `windows`, and terminate the machine",
    },
    {
      says: ["the provider id", "the cloud provider to initialise"],
      cause: "the cluster's AWS cloud controller did not look at the Node",
      remedy: "look at its pods, and at the instance's cluster tag",
    },
    { says: ["deleted"], cause: "the Node was deleted outside Casement", remedy: "ask the API server's audit log who" },
  ],
  admit: [
    {
      says: [],
      cause: "the Node is Ready but still has its start-up taint",
      remedy: "remove the node, or take the taint off",
    },
  ],
};
