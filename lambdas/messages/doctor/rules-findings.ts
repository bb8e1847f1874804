import { code, prose, some } from "../slack/text.ts";
import type { Finding } from "./finding.ts";
import { broken, type FindingText, warning } from "./finding-text.ts";

type Of<K extends Finding["kind"]> = Extract<Finding, { readonly kind: K }>;

const listed = (names: readonly string[]): string => some(names.map(code), 20);

const how = (many: number): string => (many === 0 ? "no person" : `only ${many === 1 ? "1 person" : `${many} people`}`);

type RuleFinding = "commands-unnamed" | "few-approvers" | "rules-unreadable";

/** Texts of findings about the people and the approvals of the configuration. */
export const ofRules: { readonly [K in RuleFinding]: (of: Of<K>) => FindingText } = {
  "commands-unnamed": ({ commands }) =>
    warning(
      "Slack",
      `no role may use ${listed(commands)}: the configuration's policy does not name ${commands.length === 1 ? "it" : "them"}`,
      "name the roles under `policy` and deploy; an empty list closes a command on purpose (docs/deploy.md, “Upgrade”)",
    ),
  "rules-unreadable": ({ pool, why }) =>
    broken(
      "Slack",
      `the rules of pool ${code(pool)} cannot be read, so no one may act on its nodes: ${prose(why, 500)}`,
      "if a deployment is running, wait for its end; otherwise correct `policy` and `approvals` of the pool and deploy",
    ),
  "few-approvers": ({ commands, pool, people }) => {
    const where = pool === null ? "" : ` in pool ${code(pool)}`;
    return warning(
      "Slack",
      `${listed(commands)}${where} ${commands.length === 1 ? "needs" : "need"} an approval that ${how(people.length)} can give: a request of their own cannot be approved, and lapses`,
      "give another person a role that may approve, in `people` of the configuration, and deploy",
    );
  },
};
