import type { Capability } from "../capability.ts";
import { command } from "../command.ts";

/** The doctor, which checks the installation, and a watch over its credentials. */
export const doctor = {
  name: "doctor",
  commands: [
    command({
      name: "doctor",
      also: ["check", "diagnose"],
      arguments: [],
      options: [],
      effect: "look",
      workflow: "look",
      dialog: false,
      title: () => "Run the doctor",
      summary: "Finds problems, and shows how to fix them",
      detail:
        "Checks Slack (scopes, channel), the AWS account (permissions, subnets, security groups, images, documents, payload, ledger, clock), the cluster (credential, rights, admission policies, network, versions) and the nodes' agents and kubelets. It changes nothing. Each finding has a remedy; the worst come first. If Slack is down, run `npm run doctor` in a terminal: it checks the same, except what only the functions that change something can try.",
      examples: ["doctor"],
    }),
  ],
  schedules: [
    {
      name: "credential",
      every: "1 hour",
      starts: "look",
      input: { watch: "credential" },
      logs: "the credentials are checked",
    },
  ],
} as const satisfies Capability;
