import { typeThis } from "../../messages/command/syntax.ts";
import { line, type Notice } from "../../messages/operation/escalations.ts";
import type { FleetWords } from "../../messages/operation/fleet.ts";
import { context, section } from "../../messages/slack/blocks.ts";
import { prose } from "../../messages/slack/text.ts";
import type { Message } from "../../records/records.ts";

const RUNBOOK = "docs/runbook.md#kubelet-client-authority";

/** Words of an operation that gives nodes the kubelets' client authority. */
export const authorityWords: FleetWords = {
  kind: "authority",
  title: "Kubelets' client authority",
  explains:
    "The cluster replaced the authority behind `kubectl logs` and `exec`; nodes get the new file without a restart.",
  failed: "The kubelets' client authority could not be updated",
  consequence: "kubectl logs and exec may fail there.",
  runbook: RUNBOOK,
  next: `${typeThis("doctor")} checks every node`,
};

/** Calls people to an authority that cannot be read, or to nodes that cannot be listed. */
export const authorityUnreadNotice = (why: string): Notice => ({
  kind: "authority",
  operation: null,
  message: line(`The kubelets' client authority cannot be kept up to date: ${why}. See ${RUNBOOK}.`),
  until: null,
});

/** The same in the channel; or that it is kept up to date again. */
export function authorityNewsMessage(news: "bad" | "well", why: string): Message {
  const words =
    news === "bad"
      ? `⚠️ The kubelets' client authority cannot be kept up to date: ${prose(why, 500)}. Nodes keep the authorities that they have; \`kubectl logs\` fails on them once the cluster uses a new one.`
      : "✅ The kubelets' client authority is kept up to date again.";
  return { text: words, blocks: [section(words), context(RUNBOOK)] };
}
