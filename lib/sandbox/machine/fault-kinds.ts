import type { FaultKind } from "../core/faults.ts";

const fields = {
  instanceId: "the instance it happens to",
  node: "the node it happens to, by its private DNS name",
} as const;

/** Mistakes that a kubelet may make in a certificate request. */
export const wrongRequests = ["extra-san", "extra-organization", "other-name"] as const;

/** Moments at which a service may hang. */
export const hangs = ["start", "stop"] as const;
/** Ways in which a machine's clock may be wrong: by a day, or by two minutes, which AWS and certificates tolerate. */
export const wrongClocks = ["ahead", "behind", "slightly ahead"] as const;
/** Ways in which a person or an antivirus may spoil the guard of the metadata route. */
export const guardLosses = ["removed", "altered"] as const;

/** Losses of a machine whose hybrid-overlay-node makes its network anew. */
export const networkLosses = ["network and routes", "network"] as const;

/** Places of the variables by which the SSM agent uses a proxy, as observe.ps1 names them. */
export const proxyPlaces = ["service", "machine"] as const;

/** Entries that programs leave for the next boot without a need for one: deletions of temporary and of their own files. */
export const LEFTOVERS = "leftovers" as const;

/** Records of the machine that may be damaged, by the name of their file. */
const records = ["guard.json", "reboot.json", "network.json"] as const;

/** Ways in which pods of a machine may be cut off; without one they reach nothing. */
const cuts = ["reaches nothing", "unreached", "host", "no services", "no outside"] as const;

/** Services of AWS that scripts call, by the name of their endpoint. */
const calledServices = ["s3", "secretsmanager", "ecr"] as const;

/** Policies that restrict PowerShell, by what they put in force. */
export const restrictions = ["ConstrainedLanguage", "AllSigned"] as const;

/** Reasons for which Windows may wait for a reboot, as observe.ps1 names them. */
export const rebootReasons = ["servicing", "windows-update", "file-renames", "computer-name"] as const;
/** Ways in which a machine boots without Casement. */
export const ownBoots = ["windows-update", "person", "power-loss"] as const;

/** States of a record after a loss of power: NTFS leaves zeros in place of what had not reached the disk. */
export const damages = ["zeros", "half", "empty"] as const;

/** Faults that can be injected into a machine. */
export const machineFaults: readonly FaultKind[] = [
  {
    kind: "lose-metadata-route",
    sentence: "The six link-local routes vanish; without a guard they stay away.",
    fields,
  },
  {
    kind: "agent-disabled",
    sentence: "The service of the SSM agent is disabled and stopped, as hardening scripts do.",
    fields,
  },
  { kind: "agent-silent", sentence: "The SSM agent sends no heartbeat and takes no command.", fields },
  {
    kind: "agent-never-online",
    sentence: "The SSM agent never registers with Systems Manager, until its machine boots again.",
    fields,
  },
  {
    kind: "aws-by-proxy",
    sentence: "The machine reaches AWS only through a proxy, which its SSM agent has from variables.",
    fields: { ...fields, how: proxyPlaces.join(" or ") },
    values: { how: proxyPlaces },
  },
  {
    kind: "guard-lost",
    sentence: "The guard of the metadata route is taken from a running machine, or its file is changed.",
    fields: { ...fields, how: guardLosses.join(" or ") },
    values: { how: guardLosses },
  },
  {
    kind: "guard-hangs",
    sentence:
      "A run of the guard hangs, and its next runs do not begin, until the Task Scheduler ends it after ten minutes.",
    fields,
  },
  { kind: "feature-install-fails", sentence: "Installing a Windows feature fails.", fields },
  {
    kind: "aws-unreachable",
    sentence: "The scripts of the machine reach no address of a service of AWS, as without its endpoint in the VPC.",
    fields: { ...fields, service: calledServices.join(" or ") },
    values: { service: calledServices },
  },
  { kind: "download-corrupt", sentence: "What the machine downloads from the bucket arrives damaged.", fields },
  {
    kind: "service-crashes",
    sentence: "A running Windows service ends unexpectedly.",
    fields: { ...fields, service: "the Windows service" },
  },
  {
    kind: "service-hangs",
    sentence: "A Windows service that is asked to start or to stop stays pending until its machine boots again.",
    fields: { ...fields, service: "the Windows service", how: hangs.join(" or ") },
    values: { how: hangs },
  },
  {
    kind: "service-exits",
    sentence: "A Windows service ends a second after its start, with exit code 255 and a reason in its log.",
    fields: { ...fields, service: "the Windows service" },
  },
  {
    kind: "endpoints-outlive-boot",
    sentence: "Container networks and endpoints are still there after a boot, but not attached to the machine.",
    fields,
  },
  {
    kind: "endpoint-not-attached",
    sentence: "An endpoint of a container network cannot be attached to the machine.",
    fields,
  },
  {
    kind: "hns-restarts",
    sentence:
      "The Host Networking Service restarts under its networks: pods that run lose their endpoints, new pods work, and kube-proxy does not notice.",
    fields,
  },
  {
    kind: "overlay-made-anew",
    sentence:
      "hybrid-overlay-node makes its network anew when it starts: pods from before have no network, and the link-local routes vanish.",
    fields: { ...fields, how: networkLosses.join(", or ") },
    values: { how: networkLosses },
  },
  {
    kind: "record-damaged",
    sentence: "A record that a script reads is found damaged, as after a loss of power.",
    fields: { ...fields, file: records.join(" or "), how: damages.join(", ") },
    values: { file: records, how: damages },
  },
  {
    kind: "program-in-use",
    sentence: "A process that outlived its service holds a program, which cannot be replaced.",
    fields: { ...fields, path: "the program" },
  },
  {
    kind: "data-plane-dead",
    sentence: "Pods on the machine reach nothing and are not reached, although its node says Ready.",
    fields: {
      ...fields,
      how: "unreached: pods on it work, and are not reached, as behind a filter of the overlay's packets; host: other nodes reach them, their own kubelet does not; no services: they reach no address of a Service, as where kube-proxy has lost its load balancers in HNS; no outside: they reach nothing outside of the cluster, as where the host does not translate their addresses; without a node Linux pods do not either, as without a NAT gateway",
    },
    values: { how: cuts },
  },
  { kind: "disk-full", sentence: "The disk of the machine is full: scripts can write no file.", fields },
  { kind: "look-fails", sentence: "Windows' management service does not answer, so observe.ps1 fails.", fields },
  {
    kind: "powershell-restricted",
    sentence: "A policy restricts PowerShell on the machine, so that no script of Casement's works there.",
    fields: { ...fields, how: `${restrictions.join(" or ")}, by default the first` },
    values: { how: restrictions },
  },
  {
    kind: "clock-wrong",
    sentence: "The clock of the machine is wrong by a day, or ahead by two minutes.",
    fields: { ...fields, how: wrongClocks.join(", ") },
    values: { how: wrongClocks },
  },
  {
    kind: "boots-uncounted",
    sentence: "Windows counts no boots, so the id of a boot is its time, which moves with the machine's clock.",
    fields,
  },
  { kind: "boot-hangs", sentence: "The machine does not come out of its boot until it is rebooted.", fields },
  {
    kind: "reboot-pending",
    sentence:
      "Something on a running machine waits for a reboot, such as updates; the next boot ends it. Without a count it is there again after each boot.",
    fields: {
      ...fields,
      reason: `${rebootReasons.join(", ")}; ${LEFTOVERS}: a browser's updater wants files deleted, which needs no reboot`,
    },
    values: { reason: [...rebootReasons, LEFTOVERS] },
  },
  {
    kind: "boots-by-itself",
    sentence: "A running machine restarts without Casement: Windows Update at night, a person, or a loss of power.",
    fields: { ...fields, how: ownBoots.join(", ") },
    values: { how: ownBoots },
  },
  { kind: "slow-boot", sentence: "Booting takes four times as long.", fields },
  {
    kind: "updates-at-boot",
    sentence: "A boot installs updates for 10 to 30 minutes; one that is reset meanwhile undoes them for as long.",
    fields,
  },
  {
    kind: "kubelet-wrong-csr",
    sentence: "The kubelet asks for a certificate that it should not get.",
    fields: { ...fields, how: wrongRequests.join(" or ") },
    values: { how: wrongRequests },
  },
];
