import { sha256 } from "../../cluster/authorities.ts";
import { approvalRule } from "../../commands/approvals.ts";
import type { Action, CertificateStore } from "../../machine/plan.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import { expiringText, questionText, refusedText } from "../../messages/trust/remarks.ts";
import type { Input, InputFacts, TextFile } from "../input.ts";
import { confirmedPaths, refuseEmptied, removedPaths } from "../sent-files.ts";
import { readsOf } from "../sources.ts";
import { type NamedAuthority, namedAuthorities, type RefusedAuthority } from "./authorities.ts";
import { authorityBundles, namedMaps, namingObjects } from "./bundles.ts";
import { storedCertificate, type TrustedAuthority } from "./certificates.ts";

/** Key of the rule on approvals in the configuration. */
const APPROVAL = "authorities";

/** Days before its end at which people are reminded of an authority. */
const REMINDERS = [3, 14, 30] as const;
const DAY_MS = 24 * 3_600_000;

/** Path by which PowerShell names a certificate of the machine. */
export const certificatePath = ({ store, thumbprint }: Pick<TrustedAuthority, "store" | "thumbprint">): string =>
  `Cert:\\LocalMachine\\${store}\\${thumbprint}`;

const certificateAt = (path: string): { readonly store: CertificateStore; readonly thumbprint: string } => {
  const [store = "", thumbprint = ""] = path.split("\\").slice(-2);
  return { store: store === "Root" ? "Root" : "CA", thumbprint };
};

/** Must people approve an authority first? Only a root makes programs trust more, and nodes may have it already. */
export const isUndecided =
  ({ configuration, accepted, given }: Pick<InputFacts, "configuration" | "accepted" | "given">) =>
  (authority: NamedAuthority): boolean =>
    authority.store === "Root" &&
    approvalRule(configuration, APPROVAL, null).needs > 0 &&
    !accepted.includes(authority.thumbprint) &&
    !confirmedPaths(given).has(certificatePath(authority));

/** The reminder of an authority that expires soon. It changes when fewer days are left, and is posted again then. */
function reminderOf(authority: NamedAuthority, now: number): readonly string[] {
  const left = Date.parse(authority.notAfter) - now;
  const days = REMINDERS.find((one) => left <= one * DAY_MS);
  return days === undefined ? [] : [expiringText(authority, days)];
}

/** @throws Refused if every authority is gone at once, which a person has not asked for */
function checkAuthoritiesLeft(isEmpty: boolean, facts: InputFacts): void {
  const had = confirmedPaths(facts.given).size;
  if (!isEmpty || had === 0) return;
  refuseEmptied(facts, `the cluster names no trusted authority any more, but nodes have ${had === 1 ? "one" : had}`);
}

const keeps: Input["keeps"] = ({ keptPaths = [] }, path) => keptPaths.includes(path);

/**
 * Certificates that stay on the nodes that have them. One that expires stays until its source drops it: no machine changes by
 * time. While a block is damaged all stay, because it may be one of them.
 */
function keptFor(
  refused: readonly RefusedAuthority[],
  files: readonly TextFile[],
  { given }: Pick<InputFacts, "given">,
): readonly string[] {
  const named = refused.flatMap(({ certificate }) => (certificate ? [certificatePath(certificate)] : []));
  const had = refused.some(({ isDamaged }) => isDamaged) ? [...confirmedPaths(given)].toSorted() : [];
  return [...new Set([...named, ...had])].filter((path) => files.every((file) => file.path !== path));
}

const fileOf = (authority: NamedAuthority): TextFile => ({ path: certificatePath(authority), text: authority.pem });

/**
 * The authorities that the cluster's administrators trust beside Windows' own: certificates in the machines' stores.
 * Go's programs ask Windows at each new connection, so that no service restarts.
 */
export const trustedAuthoritiesInput: Input & { readonly name: "trustedAuthorities" } = {
  name: "trustedAuthorities",
  rule: "trust",
  request: { command: "trust" },
  identityOf: (files) => sha256(JSON.stringify(files.map(({ path, text }) => [path, text]))),
  reads: readsOf(namingObjects),
  follows: namedMaps,
  content: (found, facts) => {
    const { authorities, refused } = namedAuthorities(authorityBundles(found, facts.configuration), facts.now);
    checkAuthoritiesLeft(authorities.length === 0 && refused.every(({ certificate }) => certificate === null), facts);
    const asked = authorities.filter(isUndecided(facts));
    const files = authorities.filter((one) => !asked.includes(one)).map(fileOf);
    return {
      sha256: trustedAuthoritiesInput.identityOf(files),
      files,
      keptPaths: keptFor(refused, files, facts),
      remarks: [...refused.map(refusedText), ...authorities.flatMap((one) => reminderOf(one, facts.now))],
      asked: asked.map(({ thumbprint }) => thumbprint),
      questions: asked.map(questionText),
      approvable: authorities.filter(({ store }) => store === "Root").map(({ thumbprint }) => thumbprint),
    };
  },
  actions: (content, sent) => [
    ...content.files.map(
      ({ path, text }): Action => ({
        do: "certificate",
        ...certificateAt(path),
        base64: storedCertificate(text).base64,
      }),
    ),
    ...removedPaths(content, sent, (path) => keeps(content, path)).map(
      (path): Action => ({ do: "remove-certificate", ...certificateAt(path) }),
    ),
  ],
  shows: ({ files }) =>
    files.map(({ path, text }) => `${certificateAt(path).store}: ${storedCertificate(text).subject}`),
  keeps,
  isWithout: ({ files }) => files.length === 0,
  comparedFile: () => null,
  proof: "applied",
  isUndone: true,
  retryHours: { change: 1, proof: null },
  approval: APPROVAL,
  waitsForStops: true,
  words: {
    kind: "trust",
    noun: "trusted authorities",
    title: "Trusted authorities",
    explains:
      "The cluster's trusted authorities changed; Windows nodes got them without a restart, and new connections use them.",
    failed: "Trusted authorities could not be written",
    consequence: "Programs on a node that failed trust what they trusted before.",
    runbook: "docs/runbook.md#trusted-authorities",
    next: `${typeThis("authorities")} shows every authority`,
    unread: "Trusted authorities cannot be kept up to date",
    meanwhile: "Nodes keep the authorities that they have.",
    readAgain: "Trusted authorities are kept up to date again.",
    change: "write the trusted authorities",
    asks: "every program of each Windows node would trust what these roots sign.",
    emptied: "Authorities that Casement added before would be removed.",
    written: "trusted authorities written",
    left: "the node has the authorities that it had; {win} authorities shows it",
  },
};
