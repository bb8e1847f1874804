import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { ApiException } from "@kubernetes/client-node";
import { clusterCredentialOf } from "../../clients/cluster-credential.ts";
import type { ClusterCredential, Kubernetes } from "../../clients/kubernetes.ts";
import { ACCOUNT_NAMESPACE, type Account, secretOf, userOf } from "../../desired/accounts.ts";
import { LIFE_SECONDS, renewsAt, type Term, termOf } from "../../desired/credential-term.ts";
import { type CredentialNews, type Renewal, type Watched, watch } from "../../desired/credential-watch.ts";
import { accountOf } from "../../settings.ts";
import { isBusy, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { table } from "../ledger/table.ts";

/** State of the accounts' credentials after a tick of the schedule: the same tick again says the same. */
interface WatchRecord {
  readonly tick: string;
  readonly watched: Readonly<Partial<Record<Account, Watched>>>;
  readonly news: readonly CredentialNews[];
}

const RECORD = { pk: "credentials", sk: "credentials" };

/**
 * Asks the API server whose credential this is.
 * @throws what the client throws: 401 for a credential that does not count
 */
async function checkUser({ authentication }: Kubernetes, account: Account): Promise<void> {
  const { status } = await authentication.createSelfSubjectReview({ body: {} });
  const user = status?.userInfo?.username ?? "";
  if (user !== userOf(account)) throw new Error(`it belongs to ${user}, not to ${userOf(account)}`);
}

/** A token of the account itself, which the admission policy `casement-tokens` lets it make: for a day, with its Secret. */
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
  if (!status?.token) throw new Error("the API server granted a token without saying it");
  return status.token;
}

/** Does the API server refuse the credential itself, as opposed to what was asked with it? Only a new one helps. */
export const refusesCredential = (error: unknown): boolean => error instanceof ApiException && error.code === 401;

/** This function's own credential in the cluster, and how all of them are watched. */
export const credential = (context: StepContext) => {
  const { clients, settings } = context;

  const read = async (name: string): Promise<string> => clients.secret(name, true);

  /**
   * Makes a new token with the old one, tries it, and stores it. Whatever is interrupted on the way leaves the old one in
   * its place, which is good for as long again; of two at once either one stays.
   */
  async function replace(account: Account, text: string): Promise<Term | null> {
    const name = secretOf(settings.cluster, account);
    const before: ClusterCredential = clusterCredentialOf(text);
    const after = { ...before, token: await requested(clients.kubernetesWith(before), account) };
    await checkUser(clients.kubernetesWith(after), account).catch((error: unknown) => {
      // The old one may still be good: only its own refusal says that it is over.
      throw refusesCredential(error) ? new Error("the API server rejects the token that it has just issued") : error;
    });
    // Another credential may have been stored meanwhile, with another address.
    if ((await read(name)) !== text) return termOf(clusterCredentialOf(await read(name)).token);
    await clients.secrets.send(new PutSecretValueCommand({ SecretId: name, SecretString: JSON.stringify(after) }));
    return termOf(after.token);
  }

  return {
    /**
     * Renews the credential when half of its life is over; before that it is only tried. Never throws: what goes wrong is told,
     * and the next tick tries again.
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
        // An unavailable API server says nothing about the credential.
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
     * @param tick the schedule's event: a repeated call answers the same
     * @returns the message to people
     */
    note: async (tick: string, renewals: readonly Renewal[]): Promise<readonly CredentialNews[]> => {
      const judged = await table(context).revise<WatchRecord>(RECORD, (before) => {
        if (before?.tick === tick) return null;
        const all = renewals.map((renewal) => ({
          renewal,
          ...watch(before?.watched[renewal.account], renewal),
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
