import { provisionStages, removeStages, type Stage } from "../../records.ts";

/** Words for a stage: its name as a noun, and the work that goes on in it. */
interface StageWords {
  readonly name: string;
  readonly doing: string;
}

const words: Readonly<Record<Stage, StageWords>> = {
  image: { name: "Windows image", doing: "choosing the Windows image" },
  launch: { name: "launch", doing: "launching the instance" },
  agent: { name: "first boot", doing: "starting Windows and its SSM agent" },
  guard: { name: "metadata route", doing: "guarding the metadata route" },
  features: { name: "Windows features", doing: "installing Windows features, with one reboot" },
  payload: { name: "binaries", doing: "fetching the Kubernetes binaries" },
  configure: { name: "services", doing: "setting the services up" },
  "client-csr": { name: "client certificate", doing: "getting its client certificate" },
  node: { name: "registration", doing: "registering as a Node" },
  "serving-csr": { name: "serving certificate", doing: "getting its serving certificate" },
  network: { name: "pod network", doing: "bringing the pod network up" },
  ready: { name: "readiness", doing: "becoming Ready" },
  verify: { name: "labels and taints", doing: "checking labels, taints and provider id" },
  admit: { name: "admission", doing: "opening the node to pods" },
  check: { name: "check", doing: "checking whether it may go" },
  confirm: { name: "confirmation", doing: "waiting for a yes in the dialog" },
  cordon: { name: "cordon", doing: "cordoning the node" },
  evict: { name: "eviction", doing: "evicting its pods" },
  terminate: { name: "termination", doing: "terminating the instance" },
  delete: { name: "Node object", doing: "deleting the Node" },
};

/** Name of a stage, as a noun: "Windows features". */
export const stageName = (stage: Stage): string => words[stage].name;

/** Work that goes on in a stage: "installing Windows features, with one reboot". */
export const stageDoing = (stage: Stage): string => words[stage].doing;

/** Position of a stage among all: "5/14". */
export function stagePosition(stage: Stage): string {
  const all: readonly Stage[] = removeStages.some((known) => known === stage) ? removeStages : provisionStages;
  return `${all.indexOf(stage) + 1}/${all.length}`;
}
