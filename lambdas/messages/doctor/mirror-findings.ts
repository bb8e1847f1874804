import type { MirrorFault, UnusedMirror } from "../../inputs/mirrors/mirror-lines.ts";
import { typeThis } from "../command/syntax.ts";
import { mirrorFaultText, unusedCredentialsText, unusedMirrorText } from "../mirrors/faults.ts";
import { renewalFaultText, renewalRemedy } from "../mirrors/renewals.ts";
import { between } from "../slack/age.ts";
import { code, counted, prose } from "../slack/text.ts";
import type { Finding } from "./finding.ts";
import { broken, type FindingText, list, note, warning } from "./finding-text.ts";

type OfMirrors = Extract<
  Finding,
  {
    readonly kind:
      | "mirrors-not-applied"
      | "mirrors-inexpressible"
      | "registries-not-enforced"
      | "registries-unencrypted"
      | "registry-credentials-unused"
      | "mirrors-asked"
      | "passwords-not-renewed"
      | "containerd-untried";
  }
>;

/** Life of a password of ECR (API reference, GetAuthorizationToken: twelve hours). */
const PASSWORD_MS = 12 * 3_600_000;

/** Most lines of mirror sets that one finding names. */
const MOST_LINES = 5;

/** Sentences about lines of mirror sets, without the last full stop. */
function lines(faults: readonly MirrorFault[], unused: readonly UnusedMirror[]): string {
  const all = [...faults.map(mirrorFaultText), ...unused.map(unusedMirrorText)];
  const more = all.length > MOST_LINES ? [`${all.length - MOST_LINES} more lines of mirror sets are like these`] : [];
  const shown = all.slice(0, MOST_LINES).map((text) => prose(text, 300));
  return [...shown, ...more].join(" ").replace(/\.$/, "");
}

const enforcement = {
  blocked: "pods there can pull from them",
  allowed: "pods there can also pull from any other registry",
} as const;

/** Texts of the findings about registry mirrors. */
export const ofMirrors: { readonly [K in OfMirrors["kind"]]: (of: Extract<Finding, { kind: K }>) => FindingText } = {
  "mirrors-not-applied": ({ sets, source }) =>
    note(
      "Nodes",
      `Windows nodes do not have the cluster's ${counted(sets, "mirror set")}: \`cluster.inputs\` is \`${source}\``,
      "set `cluster.inputs: openshift` in the configuration and deploy (docs/mirrors.md)",
    ),
  "mirrors-inexpressible": ({ faults, unused }) =>
    warning(
      "Nodes",
      lines(faults, unused),
      `edit the mirror sets (docs/mirrors.md, “What containerd cannot express”); ${typeThis("mirrors")} lists them all`,
    ),
  "registries-not-enforced": ({ list: name, registries }) =>
    note(
      "Nodes",
      `the cluster's ${name} registries (${list(registries)}) do not hold on Windows nodes: ${enforcement[name]}`,
      "enforce the list in the network of the Windows nodes, or with an admission policy on the images of pods",
    ),
  "registries-unencrypted": ({ registries }) =>
    note(
      "Nodes",
      `images of ${list(registries)} are pulled without a verified certificate, and unencrypted where a host has no HTTPS: the cluster lists the registry or a mirror of it as insecure`,
      "give the host a certificate that nodes trust, then take it off `insecureRegistries` of `image.config.openshift.io/cluster`",
    ),
  "registry-credentials-unused": ({ hosts }) =>
    warning(
      "Nodes",
      unusedCredentialsText(hosts.map(code)).replace(/\.$/, ""),
      "`npm run connect -- registries --remove HOST` removes one; docs/mirrors.md says which hosts get theirs",
    ),
  "mirrors-asked": ({ parts }) =>
    warning(
      "Nodes",
      `Windows nodes still contact registries that a mirror set forbids (${list(parts)}), because pods there use other images of them`,
      `mirror these images too, or ${typeThis("reconcile")} to forbid the registries all the same (docs/runbook.md#registry-mirrors)`,
    ),
  "passwords-not-renewed": ({ renewals, at }) => {
    const [oldest] = renewals;
    if (!oldest) throw new Error("a finding about renewals needs a node");
    const nodes = renewals.map(({ node }) => node);
    const isOver = Date.parse(at) - Date.parse(oldest.since) >= PASSWORD_MS;
    return (isOver ? broken : warning)(
      "Nodes",
      `${list(nodes)} ${nodes.length === 1 ? "has" : "have"} not renewed the passwords of ECR, ${code(oldest.node)} for ${between(oldest.since, at)}. ${renewalFaultText(oldest)}`,
      `${renewalRemedy(oldest)}; ${typeThis("why", oldest.node)} asks the machine again`,
    );
  },
  "containerd-untried": ({ version, nodes }) =>
    note(
      "Nodes",
      `${list(nodes)} ${nodes.length === 1 ? "runs" : "run"} containerd ${code(version)}, with which no pull through mirrors was tried`,
      "use a payload of docs/deploy.md, or check after each change of a mirror set that a pod there pulls from the mirror",
    ),
};
