import { type Account, accounts, secretOf } from "../../lambdas/cluster/accounts.ts";
import { LIFE_SECONDS, termOf } from "../../lambdas/cluster/credential-term.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { credentialFor } from "../../lib/sandbox/seed-account.ts";
import type { Journey } from "./journey.ts";
import { asAdministrator } from "./outside.ts";

interface Stored {
  readonly versions: readonly { readonly text: string; readonly stages: readonly string[] }[];
}

/** The credential of an account as Secrets Manager holds it now. */
export function stored({ simulator }: Journey, account: Account): string {
  const secret = simulator.simulation.store.collection<Stored>("secrets").get(secretOf(demo.cluster.name, account));
  return secret?.versions.find(({ stages }) => stages.includes("AWSCURRENT"))?.text ?? "";
}

/** Hours that a stored credential is still good for. */
export const hoursLeft = (here: Journey, account: Account): number =>
  ((termOf(JSON.parse(stored(here, account)).token)?.expiresAt ?? 0) - Date.now()) / 3_600_000;

/** Applies the manifest again, as an administrator does: the Secrets that are gone are made anew. */
async function remakeSecrets(here: Journey): Promise<void> {
  const isThere = (name: string) =>
    here.simulator.kubernetes.objects("secrets").some(({ metadata }) => metadata.name === name);
  for (const name of accounts.filter((account) => !isThere(account)))
    await asAdministrator(here, "POST", "/api/v1/namespaces/casement/secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: "casement" },
    });
}

/** Stores what `npm run connect -- credential` leaves behind; `seconds` lets the tokens of a shorter journey end sooner. */
export async function connect(here: Journey, seconds = LIFE_SECONDS): Promise<void> {
  await remakeSecrets(here);
  for (const account of accounts)
    here.simulator.secrets.seed(
      secretOf(demo.cluster.name, account),
      credentialFor(here.simulator, account, "https://kubernetes.sandbox.invalid", seconds),
    );
}

/** Texts of mails and pages, each once: EventBridge may bring the same event twice. */
export const notified = ({ simulator }: Journey): string[] => [
  ...new Set(simulator.topic.notifications().map(({ message }) => message)),
];
