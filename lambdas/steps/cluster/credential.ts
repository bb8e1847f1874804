import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { clusterCredentialOf } from "../../clients/cluster-credential.ts";
import type { ClusterCredential, Kubernetes } from "../../clients/kubernetes.ts";
import { ACCOUNT_NAMESPACE, type Account, secretOf, userOf } from "../../cluster/accounts.ts";
import { LIFE_SECONDS, renewsAt, type Term, termOf } from "../../cluster/credential-term.ts";
import {
  type CredentialNews,
  type Renewal,
  type WatchedCredential,
  watchCredential,
} from "../../cluster/credential-watch.ts";
import { accountOf } from "../../settings.ts";
import { isBusy, refusesCredential, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { tableClient } from "../ledger/table.ts";

/** State of the accounts' credentials after a tick of the schedule; the same tick again returns the same news. */
interface WatchRecord {
  readonly tick: string;
  readonly watched: Readonly<Partial<Record<Account, WatchedCredential>>>;
  readonly news: readonly CredentialNews[];
}

const RECORD = { pk: "credentials", sk: "credentials" };

/**
 * Checks that the API server accepts the credential for this account.
 * @throws the client's error: 401 for an invalid credential
 */
async function checkUser({ authentication }: Kubernetes, account: Account): Promise<void> {
  const { status } = await authentication.createSelfSubjectReview({ body: {} });
  const user = status?.userInfo?.username ?? "";
  if (user !== userOf(account)) throw new Error(`it belongs to ${user}, not to ${userOf(account)}`);
}

/**
 * Requests a token for the account itself, which the admission policy `casement-tokens` allows: for a day, bound to its
 * Secret.
 */
async function requested({ core }: Kubernetes, account: Account): Promise<string> {
  const { status } = await core.createNamespacedServiceAccountToken({
    name: account,
    namespace: ACCOUNT_NAMESPACE,
    body: {
      spec: {
        audiences: [],
        expirationSeconds: LIFE_SECONDS,
        boundObjectRef: { apiVersion: "v1", kind: "Secret", name: account },
      },
    },
  });
  if (!status?.token) throw new Error("the API server granted a token but did not return it");
  return status.token;
}

/** Manages this function's own credential in the cluster, and watches all of them. */
export const credential = (context: StepContext) => {
  const { clients, settings } = context;

  const read = async (name: string): Promise<string> => clients.secret(name, true);

  /**
   * Creates a new token with the old one, tries it, and stores it. If that is interrupted, the old token stays stored
   * and remains valid. If two executions do this together, either token may stay.
   */
  async function replace(account: Account, text: string): Promise<Term | null> {
    const name = secretOf(settings.cluster, account);
    const before: ClusterCredential = clusterCredentialOf(text);
    const after = { ...before, token: await requested(clients.kubernetesWith(before), account) };
    await checkUser(clients.kubernetesWith(after), account).catch((error: unknown) => {
      // The old token may still be valid, so a 401 here is not reported as a rejection of it.
      throw refusesCredential(error) ? new Error("the API server rejects the token that it has just issued") : error;
    });
    // A person may have stored another credential meanwhile, with another address.
    if ((await read(name)) !== text) return termOf(clusterCredentialOf(await read(name)).token);
    await clients.secrets.send(new PutSecretValueCommand({ SecretId: name, SecretString: JSON.stringify(after) }));
    return termOf(after.token);
  }

  return {
    /**
     * Renews the credential once half of its lifetime is over; before that, only tries it. Never throws: failures are
     * reported, and the next tick tries again.
     */
    renew: async (): Promise<Renewal> => {
      const account = accountOf(settings);
      let stored: ClusterCredential | null = null;
      let term: Term | null = null;
      try {
        const text = await read(secretOf(settings.cluster, account));
        stored = clusterCredentialOf(text);
        term = termOf(stored.token);
        if (term === null || context.now() >= renewsAt(term))
          return { account, state: "renewed", why: null, term: await replace(account, text), isOver: false };
        // An unavailable API server does not mean that the credential is invalid.
        await checkUser(clients.kubernetesWith(stored), account).catch((error: unknown) => {
          if (!isBusy(error)) throw error;
        });
        return { account, state: "kept", why: null, term, isOver: false };
      } catch (error) {
        const isUnusable = stored === null && !isBusy(error);
        const hasEnded = term !== null && term.expiresAt <= context.now();
        const isOver = refusesCredential(error) || isUnusable || hasEnded;
        return { account, state: "failed", why: wordsOf(error), term, isOver };
      }
    },

    /**
     * Records the state of the credentials after a tick.
     * @param tick the schedule's event; a repeated call returns the same news
     * @returns the messages to post
     */
    note: async (tick: string, renewals: readonly Renewal[]): Promise<readonly CredentialNews[]> => {
      const judged = await tableClient(context).revise<WatchRecord>(RECORD, (before) => {
        if (before?.tick === tick) return null;
        const all = renewals.map((renewal) => ({
          renewal,
          ...watchCredential(before?.watched[renewal.account], renewal),
        }));
        return {
          tick,
          watched: {
            ...before?.watched,
            ...Object.fromEntries(all.map(({ renewal, after }) => [renewal.account, after])),
          },
          news: all.flatMap(({ say, renewal }) => (say ? [{ say, renewal }] : [])),
        };
      });
      return judged?.news ?? [];
    },
  };
};
