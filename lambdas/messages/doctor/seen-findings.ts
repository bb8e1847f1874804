import { typeThis } from "../command/syntax.ts";
import { troubleRemedy, troubleSays } from "../node/machine-troubles.ts";
import { reasonWords } from "../node/reboot-due.ts";
import { code, counted } from "../slack/text.ts";
import type { Finding } from "./finding.ts";
import { broken, type FindingText, list, note, warning } from "./finding-text.ts";

type OfObservations = Extract<
  Finding,
  { readonly kind: "reboots-without-effect" | "machine-trouble" | "probes-seldom" }
>;

/** Texts of the findings of the scheduled observation. */
export const ofObservations: {
  readonly [K in OfObservations["kind"]]: (of: Extract<Finding, { kind: K }>) => FindingText;
} = {
  "probes-seldom": ({ nodes, perHour, hours }) =>
    note(
      "Nodes",
      `${counted(nodes, "node")} are probed, ${perHour} an hour: each every ${hours} hours`,
      `${typeThis("why <node>")} says when a node was probed last; \`pools.<name>.probe: false\` leaves a pool out (docs/why.md)`,
    ),
  "machine-trouble": ({ trouble, nodes }) =>
    ("service" in trouble || trouble.kind === "hns-restarted" ? broken : warning)(
      "Nodes",
      troubleSays(trouble, list(nodes)),
      troubleRemedy(trouble, nodes[0] ?? ""),
    ),
  "reboots-without-effect": ({ nodes, first: { reasons, file } }) =>
    warning(
      "Nodes",
      `the last reboot of ${list(nodes)} did not end what Windows waits for: ${reasonWords(reasons)}${file === null ? "" : `, first ${code(file)}`}`,
      `find the program that asks for it again, and update or remove it; ${typeThis("reboot --due")} leaves these nodes out (docs/reboot.md#reboot-due)`,
    ),
};
