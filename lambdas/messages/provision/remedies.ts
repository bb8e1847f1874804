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
      remedy: "free addresses in it, or add a subnet to the pool",
      isHopeless: true,
    },
    {
      says: ["EC2 has no capacity in any subnet"],
      cause: "EC2 has no capacity for the pool's instance types in the pool's subnets",
      remedy: "try again later, or add instance types or subnets to the pool",
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
      remedy: "set `aws.volumeKey` in the configuration to the key's ARN and deploy",
    },
    {
      says: ["is claimed by"],
      cause: "EC2 gave the new machine an address that another controller claims",
      remedy: "remove that controller's entry, and terminate the machine",
    },
    {
      says: ["join slots"],
      cause: "twenty machines are already joining",
      remedy: "try again when they have joined",
    },
    {
      says: ["pending certificate requests"],
      cause: "too many certificate requests are pending in the cluster",
      remedy: "run `kubectl get csr`, and delete the requests that are not wanted",
    },
    {
      says: ["the execution never started"],
      cause: "Lambda did not start the node's execution within 15 minutes",
      remedy: 'see "Throttles" and "Dead letters" in the runbook',
    },
  ],
  agent: [
    {
      says: [],
      cause: "Windows did not start, or the machine cannot reach SSM",
      remedy:
        "check the subnet's route table and the endpoints' security groups; the console output shows how Windows booted",
    },
  ],
  guard: [
    {
      says: ["not the one of this release"],
      cause: "the node was set up by another release of Casement",
      remedy: "run `{win} guard` on the node, then try again",
    },
    {
      says: ["SSM agent does not answer", "the command was cancelled (Cancelled)"],
      cause: "the machine's SSM agent does not respond, usually because its metadata route is lost",
      remedy:
        "reboot it through EC2, with the button or in the console; an installed guard restores the route at start-up",
    },
    {
      says: ["not installed as a scheduled task"],
      cause: "the task was removed, possibly by an antivirus",
      remedy: "allow the task `Casement guard` in the image's antivirus",
    },
    {
      says: ["network paths to choose from"],
      cause: "the machine has several default gateways, or none",
      remedy: "attach exactly one network interface",
    },
    {
      says: ["C:\\Casement\\guard.ps1"],
      cause: "the machine could not read the bucket, or the file's content was wrong",
      remedy: "check the policies of the bucket and the S3 endpoint",
    },
    {
      says: ["The RPC server is unavailable"],
      cause: "Windows Management Instrumentation is not running or is damaged",
      remedy: anotherNode,
    },
    {
      says: [],
      cause: "the guard could not repair the route to the metadata service",
      remedy: "read `C:\\Casement\\guard.json`, and check the instance's metadata options",
    },
  ],
  features: [
    {
      says: ["container networks exist already"],
      cause: "the image is not AWS's own",
      remedy: "use one of AWS's images for the pool",
    },
    {
      says: ["did not happen", "its boot id has not changed", "reboot.ps1 failed"],
      cause: "the reboot did not take place",
      remedy: anotherNode,
    },
    {
      says: ["not installed after the reboot", "Windows requires another reboot"],
      cause: "the image carries an unfinished update",
      remedy: "terminate it, and check whether AWS's newest image has a known fault",
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
      cause: "the object in the bucket differs from the manifest",
      remedy: "upload that file again and deploy",
    },
    {
      says: ["Access Denied", "NoSuchVersion"],
      cause: "the object's version was deleted, or a policy denies it to the node's role",
      remedy: "list the object's versions, and compare the policies of bucket and endpoint",
    },
  ],
  configure: [
    {
      says: ["C:\\k\\bootstrap-kubeconfig"],
      cause: "the machine could not read its join secret",
      remedy: "check that the secret exists, and the policy of the Secrets Manager endpoint",
    },
    {
      says: ["service-state", "stopped while it started"],
      cause: "the program exited early, often because the payload's version does not match the cluster's",
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
      remedy: "check `oc get controllerconfig machine-config-controller` and `cluster.kubeletClientAuthority`",
    },
    {
      says: ["Kubernetes 1.30 or newer"],
      cause: "the cluster is too old",
      remedy: "upgrade the cluster",
      isHopeless: true,
    },
    {
      says: ["cannot use the overlay port"],
      cause: "the cluster's VXLAN port is not 4789",
      remedy: "set the pool's `windows` to 2022 or 2025",
      isHopeless: true,
    },
  ],
  "client-csr": [
    {
      says: ["was denied by"],
      cause: "a policy or a person denies this machine",
      remedy: "allow the node bootstrapper's requests for this name",
    },
    {
      says: ["no request of this machine was approved"],
      cause: "another machine has registered under this name",
      remedy: "terminate the machine, delete the Node, and find the other machine in the API server's audit log",
    },
    {
      says: [],
      cause: "the machine cannot reach `cluster.apiServer`, or its token was rejected",
      remedy: "check `kubectl get csr`, and the requests that the thread says were left pending",
    },
  ],
  node: [
    {
      says: [],
      cause: "the kubelet cannot register, or its name is not EC2's private DNS name",
      remedy: "read `C:\\var\\log\\kubelet`, and check the subnet's DHCP options",
    },
  ],
  "serving-csr": [
    {
      says: [],
      cause: "the kubelet requested an address that EC2 does not list for the machine",
      remedy: "check `kubectl get csr`, and the requests that the thread says were left pending",
    },
  ],
  network: [
    {
      says: ["to give the Node a subnet"],
      cause: "the hybrid overlay is not configured, or its network is used up",
      remedy: "check `hybridOverlayConfig` in `oc get network.operator cluster -o yaml`",
    },
    {
      says: ["to announce its gateway"],
      cause: "the machine's overlay cannot reach the other nodes",
      remedy: "open UDP 4789 (or `cluster.hybridOverlayPort`) in both directions",
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
      cause: "the cluster's AWS cloud controller did not initialise the Node",
      remedy: "check its pods, and the instance's cluster tag",
    },
    {
      says: ["deleted"],
      cause: "the Node was deleted outside Casement",
      remedy: "search the API server's audit log to see who did it",
    },
  ],
  admit: [
    {
      says: [],
      cause: "the Node is Ready but still has its start-up taint",
      remedy: "remove the taint, or the node",
    },
  ],
};
