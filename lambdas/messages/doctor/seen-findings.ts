import { typeThis } from "../command/syntax.ts";
import { reasonWords } from "../node/reboot-due.ts";
import { code } from "../slack/text.ts";
import type { Finding } from "./finding.ts";
import { type FindingText, list, warning } from "./finding-text.ts";

type OfLooks = Extract<Finding, { readonly kind: "reboots-without-effect" }>;

/** Texts of the findings of the scheduled look. */
export const ofLooks: { readonly [K in OfLooks["kind"]]: (of: Extract<Finding, { kind: K }>) => FindingText } = {
  "reboots-without-effect": ({ nodes, first: { reasons, file } }) =>
    warning(
      "Nodes",
      `the last reboot of ${list(nodes)} did not end what Windows waits for: ${reasonWords(reasons)}${file === null ? "" : `, first ${code(file)}`}`,
      `find the program that asks for it again, and update or remove it; ${typeThis("reboot --due")} leaves these nodes out (docs/reboot.md#reboot-due)`,
    ),
};
