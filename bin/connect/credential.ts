import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { clients } from "../../lambdas/clients/clients.ts";
import { clusterCredentialOf } from "../../lambdas/clients/cluster-credential.ts";
import { type ClusterCredential, kubernetes } from "../../lambdas/clients/kubernetes.ts";
import { ACCOUNT_NAMESPACE, type Account, secretOf, userOf } from "../../lambdas/cluster/accounts.ts";
import { wordsOfFinding } from "../../lambdas/messages/doctor/findings.ts";
import { DEFAULT_WORD, withWord } from "../../lambdas/messages/slack/command-word.ts";
import type { Settings } from "../../lambdas/settings.ts";
import { isAbsent, wordsOf } from "../../lambdas/steps/client-errors.ts";
import type { StepContext } from "../../lambdas/steps/context.ts";
import type { DoctorSubject } from "../../lambdas/steps/doctor/check.ts";
import { credentialRefusal } from "../../lambdas/steps/doctor/credential.ts";
import { type Attempt, policies } from "../../lambdas/steps/doctor/policies.ts";
import { StartError } from "../start-error.ts";
import { type Administrator, administratorOf } from "./administrator.ts";
import { clusterWideMinters, refuseForeignAccess, refuseMoreRights, storedTokens } from "./foreign-access.ts";
import type { Place } from "./place.ts";
import { withUnapprovableRequest } from "./unapprovable-request.ts";

/** Options for creating a credential, or for using a given one. */
export interface CredentialOptions {
  readonly accounts: readonly Account[];
  /** URL at which the functions reach the API server; default: the configured one for a private API server, else kubectl's. */
  readonly server: string | undefined;
  /** File with a given token, which belongs to the only account in `accounts`. */
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
}

/** Lifetime of a token, the longest that the accounts may request. The functions renew a token after half of it. */
const DAY_SECONDS = 24 * 3_600;

/** Assurance in each refusal: an invalid credential never replaces a valid one. */
const NOTHING_STORED = "nothing was stored, and the credential from before is unchanged";

const refuse = (account: Account, why: string): StartError =>
  new StartError(`the account ${account}: ${why}; ${NOTHING_STORED}`);

/** Requests a token that is bound to the account's Secret; the API server may shorten its lifetime (TokenRequest). */
async function requestedToken({ core }: Administrator, account: Account): Promise<string> {
  const boundObjectRef = { apiVersion: "v1", kind: "Secret", name: account };
  try {
    const { status } = await core.createNamespacedServiceAccountToken({
      name: account,
      namespace: ACCOUNT_NAMESPACE,
      body: { spec: { audiences: [], expirationSeconds: DAY_SECONDS, boundObjectRef } },
    });
    if (!status?.token) throw refuse(account, "the API server granted a token without saying it");
    return status.token;
  } catch (error) {
    if (!isAbsent(error)) throw error;
    throw refuse(account, `${wordsOf(error)}: apply what \`npm run connect -- manifest\` prints first`);
  }
}

const claimsOf = (token: string): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8"));
  } catch {
    return {};
  }
};

/** Reads a given token: it must be the account's, be valid for at most a day, and be bound to the account's Secret. */
function givenToken(file: string, account: Account): string {
  const token = readFileSync(file, "utf8").trim();
  const { sub, iat, exp, "kubernetes.io": bound } = claimsOf(token);
  const { secret } = (bound ?? {}) as { readonly secret?: { readonly name?: string } };
  const isShort = Number(exp) - Number(iat) <= DAY_SECONDS;
  if (sub === userOf(account) && isShort && secret?.name === account) return token;
  throw refuse(
    account,
    `the token in ${file} must be what this makes: kubectl create token ${account} -n ${ACCOUNT_NAMESPACE} --duration 24h --bound-object-kind Secret --bound-object-name ${account}`,
  );
}

async function credentialOf(
  administrator: Administrator,
  account: Account,
  { server, caFile, tokenFile }: CredentialOptions,
): Promise<ClusterCredential> {
  const ca = caFile ? readFileSync(caFile, "utf8") : administrator.authority;
  if (!ca) throw new StartError("the kubeconfig names no certificate authority: give it with --ca-file");
  const token = tokenFile ? givenToken(tokenFile, account) : await requestedToken(administrator, account);
  return { server: server ?? administrator.server, ca, token };
}

/**
 * Tries a credential at the functions' address. If the API server does not answer here, that is no error: the functions
 * may be in a network that this terminal cannot reach.
 */
async function tryAddress(account: Account, credential: ClusterCredential): Promise<void> {
  try {
    clusterCredentialOf(JSON.stringify(credential));
    await kubernetes(async () => credential)
      .version.getCode({})
      .catch((error: unknown) => {
        const why = credentialRefusal(error);
        if (why) throw new Error(why);
      });
  } catch (error) {
    throw refuse(account, wordsOf(error));
  }
}

/** Limit on the tries: a policy takes effect about a second after it was created. */
const TRIES = 10;
const BETWEEN_MS = 1_000;

/** Checks that the policies restrict an account, before the functions get its credential. */
async function seePoliciesRefuse(subject: DoctorSubject, account: Account, more: readonly Attempt[]): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    const [missing] = await policies(subject, more);
    if (!missing) return;
    if (tried === TRIES) {
      const { says, remedy } = wordsOfFinding(missing);
      throw refuse(account, withWord(`${says}: ${remedy}`.replaceAll("`", ""), DEFAULT_WORD));
    }
    await pause(BETWEEN_MS);
  }
}

/** One account's credential, which was created and tried. */
interface NewCredential {
  readonly account: Account;
  readonly settings: Settings;
  readonly credential: ClusterCredential;
}

async function made(
  administrator: Administrator,
  account: Account,
  place: Place,
  options: CredentialOptions,
): Promise<NewCredential> {
  const settings = await place.settings(account);
  const credential = await credentialOf(administrator, account, {
    ...options,
    server: options.server ?? place.functionsServer ?? undefined,
  });
  await tryAddress(account, credential);
  // The terminal may not reach the functions' address, so the policies are tried at kubectl's address.
  const { server, authority = credential.ca } = administrator;
  const here = { server, ca: authority, token: credential.token };
  const context: StepContext = {
    clients: { ...clients(settings), kubernetes: kubernetes(async () => here) },
    settings,
    now: await place.clock(),
  };
  const subject = { context, by: account, profile: place.profile };
  if (account !== "join") await seePoliciesRefuse(subject, account, []);
  else await withUnapprovableRequest(administrator, (attempt) => seePoliciesRefuse(subject, account, [attempt]));
  return { account, settings, credential };
}

async function store({ account, settings, credential }: NewCredential): Promise<void> {
  const { secrets } = clients(settings);
  const SecretId = secretOf(settings.cluster, account);
  await secrets.send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(credential) }));
}

/**
 * Creates credentials for the bot's accounts, or takes the given one, tries them, and stores them in Secrets Manager.
 * It never prints them. Running it again replaces them.
 * @returns a summary for the terminal
 * @throws StartError if a credential is refused; errors of the clients
 */
export async function storeCredentials(place: Place, options: CredentialOptions): Promise<string> {
  const administrator = administratorOf(place);
  await refuseForeignAccess(administrator);
  await refuseMoreRights(administrator);
  const all: NewCredential[] = [];
  for (const account of options.accounts) all.push(await made(administrator, account, place, options));
  for (const one of all) await store(one);
  const [lying, minters] = await Promise.all([storedTokens(administrator), clusterWideMinters(administrator)]);
  const names = options.accounts.join(", ");
  return [
    `Stored the ${options.accounts.length > 1 ? "credentials of the accounts" : "credential of the account"} ${names}. The functions read them when they next ask the cluster, and renew them.`,
    ...(lying.length > 0
      ? [
          `Tokens of these accounts also lie in the cluster, in Secrets of the namespace ${ACCOUNT_NAMESPACE}: ${lying.join(", ")}. Anyone who may read them can act as the bot. Delete them unless the cluster makes them anew.`,
        ]
      : []),
    ...(minters.length > 0
      ? [
          "ClusterRoleBindings let others make tokens of these accounts, or impersonate them. Each of them is as good as a cluster administrator; delete what is not meant:",
          ...minters,
          "kubectl get clusterrolebindings -o wide shows them all.",
        ]
      : []),
  ].join("\n");
}
