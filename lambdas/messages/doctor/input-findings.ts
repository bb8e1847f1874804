import { typeThis } from "../command/syntax.ts";
import { code, counted, prose } from "../slack/text.ts";
import type { ExaminedInput, Finding } from "./finding.ts";
import { broken, type FindingText, list, note, warning } from "./finding-text.ts";
import { ofMirrors } from "./mirror-findings.ts";

type OfInputs = Extract<
  Finding,
  {
    readonly kind:
      | "input-unread"
      | "input-late"
      | "input-unconfirmed"
      | "input-blocked"
      | "authorities-remarks"
      | "authorities-asked";
  }
>;

/** Words about an input: the noun, the thing that people edit, and the section of the runbook. */
const inputWords: Readonly<
  Record<ExaminedInput, { readonly noun: string; readonly edited: string; readonly section: string }>
> = {
  mirrors: { noun: "mirror sets", edited: "mirror set", section: "registry-mirrors" },
  trustedAuthorities: { noun: "trusted authorities", edited: "authority", section: "trusted-authorities" },
};

/** Most sentences about authorities in one finding. */
const MOST_REMARKS = 5;

const have = (nodes: readonly string[]): string => `${list(nodes)} ${nodes.length === 1 ? "has" : "have"}`;

function remarksText(remarks: readonly string[]): string {
  const more = remarks.length > MOST_REMARKS ? [`${remarks.length - MOST_REMARKS} more are like these`] : [];
  const shown = remarks.slice(0, MOST_REMARKS).map((text) => prose(text, 300));
  return [...shown, ...more].join(" ").replace(/\.$/, "");
}

const ofInputs: { readonly [K in OfInputs["kind"]]: (of: Extract<Finding, { kind: K }>) => FindingText } = {
  "input-unread": ({ input, why }) =>
    broken(
      "Nodes",
      `the cluster's ${inputWords[input].noun} cannot be read: ${prose(why, 500)}`,
      `docs/runbook.md#${inputWords[input].section} lists each reason; nodes keep what they have`,
    ),
  "input-late": ({ input, nodes }) =>
    warning(
      "Nodes",
      `${have(nodes)} not had the cluster's ${inputWords[input].noun} for more than an hour`,
      `check that they run and that no freeze or hold covers them; ${typeThis("reconcile")} writes them now`,
    ),
  "input-unconfirmed": ({ input, nodes }) =>
    warning(
      "Nodes",
      `${have(nodes)} not confirmed the cluster's ${inputWords[input].noun} for more than an hour after Casement sent them`,
      `check that their SSM agents are online; ${typeThis("reconcile")} sends them again`,
    ),
  "input-blocked": ({ input, failed, nodes }) =>
    broken(
      "Nodes",
      `the cluster's ${inputWords[input].noun} are not written to ${list(nodes)}, because ${failed === null ? "a node that is gone" : code(failed)} failed with them`,
      `edit the ${inputWords[input].edited} that fails, or ${typeThis("reconcile")} to try again (docs/runbook.md#${inputWords[input].section})`,
    ),
  "authorities-remarks": ({ remarks }) =>
    warning(
      "Nodes",
      remarksText(remarks),
      `edit the bundle (docs/authorities.md); ${typeThis("authorities")} lists all`,
    ),
  "authorities-asked": ({ roots }) =>
    note(
      "Nodes",
      `${counted(roots, "root")} of the cluster's trusted authorities ${roots === 1 ? "waits" : "wait"} for an approval, so Windows nodes do not trust ${roots === 1 ? "it" : "them"}`,
      `${typeThis("authorities")} shows the request; approve or deny it`,
    ),
};

/** Texts of the findings about what the cluster gives to nodes. */
export const ofClusterInputs = { ...ofMirrors, ...ofInputs };
