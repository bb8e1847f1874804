import type { StageOf } from "../../stages.ts";
import type { CodeRemedies, StageRemedies } from "./remedy.ts";

const anotherNode = "terminate the machine and add another one";
const readLog = "read the program's last lines, and its log under `C:\\var\\log`";

/** Failures that only the setup of a machine has. */
export const addingCodes = {
  "vcpu-quota": {
    cause: "the account's quota of vCPUs is used up",
    remedy: 'ask AWS for a higher quota ("Running On-Demand Standard instances")',
  },
  "subnet-full": {
    cause: "the subnet has no free addresses",
    remedy: "free addresses in it, or add a subnet to the pool",
  },
  "no-capacity": {
    cause: "EC2 has no capacity for the pool's instance types in the pool's subnets",
    remedy: "try again later, or add instance types or subnets to the pool",
  },
  "volume-quota": {
    cause: "the account's quota of volumes, or of their IOPS, is used up",
    remedy: "delete volumes that nothing uses, or ask AWS for a higher quota of Amazon EBS",
  },
  "account-refused": {
    cause: "the account, its network interfaces or a policy of the organisation does not allow this launch",
    remedy: "read EC2's code below, then ask the owner of the account, or AWS Support",
  },
  "launch-later": {
    cause: "EC2 does not take the request now",
    remedy: "look at the AWS Health Dashboard, then try again",
  },
  "launch-refused": {
    cause: "the launch request names something that EC2 does not have or does not allow",
    remedy: "compare the pool's image, subnets, types and security groups in the configuration with EC2, and deploy",
  },
  "volume-key-unusable": {
    cause: "the key that encrypts the volumes could not be used",
    remedy: "set `aws.volumeKey` in the configuration to the key's ARN and deploy",
  },
  "private-name-missing": {
    cause: "EC2 gave the instance no private DNS name, by which its Node is named",
    remedy:
      "`{win} doctor` says whether `enableDnsSupport` or `enableDnsHostnames` of the VPC is off: switch them on; then terminate the machine, and add again",
  },
  "address-claimed": {
    cause: "EC2 gave the new machine an address that another controller claims",
    remedy: "remove that controller's entry, and terminate the machine",
  },
  "join-slots-taken": {
    cause: "twenty machines are already joining",
    remedy: "try again when they have joined",
  },
  "certificate-requests-pending": {
    cause: "too many certificate requests are pending in the cluster",
    remedy: "run `kubectl get csr`, and delete the requests that are not wanted",
  },
  "pool-changed": {
    cause: "a deployment took the pool's subnets or instance types out of the configuration after the request",
    remedy: "run the command again: it goes by the new configuration",
  },
  "execution-never-started": {
    cause: "Lambda did not start the node's execution within 15 minutes",
    remedy: 'see "Throttles" and "Dead letters" in the runbook',
  },
  "container-networks-exist": {
    cause: "the image is not AWS's own",
    remedy: "use one of AWS's images for the pool",
  },
  "windows-unfinished": {
    cause: "the image carries an unfinished update, or a program on it asks for a reboot after each boot",
    remedy: "terminate it, and check whether AWS's newest image has a known fault",
  },
  "feature-not-installed": {
    cause: "Windows could not install the feature; its error code says why",
    remedy: "add another node; if that fails too, keep it and read `C:\\Windows\\Logs\\DISM\\dism.log`",
    ofKept: "read `C:\\Windows\\Logs\\DISM\\dism.log` on it",
  },
  "join-secret-unreadable": {
    cause: "the machine could not read its join secret",
    remedy: "check that the secret exists, and the policy of the Secrets Manager endpoint",
  },
  "service-not-started": {
    cause: "the program exited early, often because the payload's version does not match the cluster's",
    remedy: `${readLog}, and compare \`cluster.version\` with \`kubectl version\``,
  },
  "authority-unreadable": {
    cause: "the authority that kubelets trust cannot be read",
    remedy: "check `oc get controllerconfig machine-config-controller` and `cluster.kubeletClientAuthority`",
  },
  "kubernetes-too-old": {
    cause: "the cluster is too old",
    remedy: "upgrade the cluster",
  },
  "overlay-port": {
    cause: "the cluster's VXLAN port is not 4789",
    remedy: "set the pool's `windows` to 2022 or 2025",
  },
  "certificate-request-denied": {
    cause: "a policy or a person denies this machine",
    remedy: "allow the node bootstrapper's requests for this name",
  },
  "name-taken": {
    cause: "another machine has registered under this name",
    remedy: "terminate the machine, delete the Node, and find the other machine in the API server's audit log",
  },
  "subnet-missing": {
    cause: "the hybrid overlay is not configured, or its network is used up",
    remedy: "check `hybridOverlayConfig` in `oc get network.operator cluster -o yaml`",
  },
  "gateway-missing": {
    cause: "the machine's overlay cannot reach the other nodes",
    remedy: "open UDP 4789 (or `cluster.hybridOverlayPort`) in both directions",
  },
  "windows-build": {
    cause: "the image is not of the pool's Windows release",
    remedy: "correct the pool's `windows`, and terminate the machine",
  },
  "provider-id-missing": {
    cause: "the cluster's AWS cloud controller did not initialise the Node",
    remedy: "check its pods, and the instance's cluster tag",
  },
  "node-deleted": {
    cause: "the Node was deleted outside Casement",
    remedy: "search the API server's audit log to see who did it",
  },
} as const satisfies CodeRemedies;

const guardFile = {
  cause: "the machine could not read the bucket, or the file's content was wrong",
  remedy: "check the policies of the bucket and the S3 endpoint",
};

const checkRequests = "check `kubectl get csr`, and the requests that the thread says were left pending";

const servingRequest = {
  cause: "the kubelet requested an address that EC2 does not list for the machine",
  remedy: checkRequests,
};

const servingDenied = {
  cause: "a policy or a person denies this machine",
  remedy: "allow the node's own requests for a serving certificate",
};

/** Stages of the setup of a machine; the guard's is also a stage of others. */
export const addingStages: Readonly<Record<StageOf<"provision">, StageRemedies>> = {
  launch: {
    own: {
      cause: "EC2 did not launch the instance, or does not show it as running",
      remedy: "check the instance in EC2, then try again",
    },
  },
  agent: {
    own: {
      cause: "Windows did not start, or the machine cannot reach SSM",
      remedy:
        "check the subnet's route table and the endpoints' security groups; the console output shows how Windows booted",
    },
  },
  guard: {
    own: {
      cause: "the guard could not repair the route to the metadata service",
      remedy: "read `C:\\Casement\\guard.json`, and check the instance's metadata options",
    },
    unlike: { "file-not-placed": guardFile, "content-differs": guardFile },
  },
  features: {
    own: {
      cause: "Windows did not finish with its features",
      remedy: "read `C:\\Casement\\apply.log`, and add another node",
    },
    unlike: { "reboot-not-happened": { cause: "the reboot did not take place", remedy: anotherNode } },
  },
  payload: {
    own: {
      cause: "a program could not be downloaded or stored",
      remedy: "read `C:\\Casement\\apply.log`, and check the bucket and the disk",
    },
    unlike: {
      "aws-refuses-machine": {
        cause: "the object's version was deleted, or a policy denies it to the node's role",
        remedy: "list the object's versions, and compare the policies of bucket and endpoint",
      },
    },
  },
  configure: {
    own: {
      cause: "an action on the machine failed",
      remedy: "read `C:\\Casement\\apply.log` and the logs under `C:\\var\\log`",
    },
    unlike: {
      "api-denied": {
        cause: "the cluster's manifest is missing or old",
        remedy: "apply what `npm run --silent connect -- manifest` prints",
      },
    },
  },
  "client-csr": {
    own: {
      cause: "the machine cannot reach `cluster.apiServer`, or its token was rejected",
      remedy: checkRequests,
    },
  },
  node: {
    own: {
      cause: "the kubelet cannot register, or its name is not EC2's private DNS name",
      remedy: "read `C:\\var\\log\\kubelet`, and check the subnet's DHCP options",
    },
  },
  "serving-csr": { own: servingRequest, unlike: { "certificate-request-denied": servingDenied } },
  network: {
    own: {
      cause: "network.ps1 ended with an error",
      remedy: "read `C:\\Casement\\network.json` and the logs under `C:\\var\\log`",
    },
  },
  ready: { own: { cause: "the kubelet names its reason", remedy: "run `kubectl describe node` for this node" } },
  verify: {
    own: {
      cause: "the Node does not show what the pool and EC2 say",
      remedy: "run `kubectl describe node` for this node, and find out what changes it",
    },
  },
  probe: {
    own: {
      cause: "pods on the new node do not work",
      remedy: "run `{win} why` on the node, then terminate the machine and add another one",
    },
  },
  admit: {
    own: {
      cause: "the Node is Ready but still has its start-up taint",
      remedy: "remove the taint, or the node",
    },
  },
};
