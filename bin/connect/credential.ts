import { readFileSync } from "node:fs";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node";
import { clients } from "../../lambdas/clients/clients.ts";
import { clusterCredentialOf } from "../../lambdas/clients/cluster-credential.ts";
import { type ClusterCredential, kubernetes } from "../../lambdas/clients/kubernetes.ts";
import { wordsOf } from "../../lambdas/steps/client-errors.ts";
import { refusalOf } from "../../lambdas/steps/doctor/credential.ts";
import { StartError } from "../start-error.ts";
import type { Place } from "./place.ts";

/** How a credential is made or given. */
export interface CredentialOptions {
  readonly days: number;
  /** Where the functions reach the API server, if not where kubectl does. */
  readonly server: string | undefined;
  /** A token that somebody made elsewhere. */
  readonly tokenFile: string | undefined;
  readonly caFile: string | undefined;
}

const DAY_SECONDS = 24 * 3_600;

/** The bot's own account, as the reviewed manifest makes it. */
const BOT = { name: "casement", namespace: "casement" };

function administrator({ kubeconfig }: Place): KubeConfig {
  const config = new KubeConfig();
  if (kubeconfig) config.loadFromFile(kubeconfig);
  else config.loadFromDefault();
  return config;
}

/** A token of the bot's account, by TokenRequest; the API server may make it shorter than asked. */
async function requestedToken(config: KubeConfig, days: number): Promise<string> {
  const api = config.makeApiClient(CoreV1Api);
  const { status } = await api.createNamespacedServiceAccountToken({
    ...BOT,
    body: { spec: { audiences: [], expirationSeconds: days * DAY_SECONDS } },
  });
  if (!status?.token) throw new StartError("the API server granted a token without saying it");
  return status.token;
}

function authorityOf(config: KubeConfig, caFile: string | undefined): string {
  if (caFile) return readFileSync(caFile, "utf8");
  const { caData, caFile: own } = config.getCurrentCluster() ?? {};
  if (caData) return Buffer.from(caData, "base64").toString("utf8");
  if (own) return readFileSync(own, "utf8");
  throw new StartError("the kubeconfig names no certificate authority: give it with --ca-file");
}

async function credentialOf(place: Place, options: CredentialOptions): Promise<ClusterCredential> {
  const config = administrator(place);
  const server = options.server ?? config.getCurrentCluster()?.server;
  if (!server) throw new StartError("the kubeconfig names no API server: give it with --server");
  const { tokenFile } = options;
  const token = tokenFile ? readFileSync(tokenFile, "utf8").trim() : await requestedToken(config, options.days);
  return { server, ca: authorityOf(config, options.caFile), token };
}

/** A credential that cannot count must not take the place of one that does. */
const NOTHING_STORED = "nothing was stored, and what was there before still counts";

/** The functions may stand where this terminal does not: an API server that does not answer here is no reason to refuse. */
async function tryCredential(text: string): Promise<void> {
  try {
    const credential = clusterCredentialOf(text);
    await kubernetes(async () => credential)
      .version.getCode({})
      .catch((error: unknown) => {
        const why = refusalOf(error);
        if (why) throw new Error(why);
      });
  } catch (error) {
    throw new StartError(`${wordsOf(error)}; ${NOTHING_STORED}`);
  }
}

/**
 * Makes a credential for the bot, or takes the one that is given, and stores it in Secrets Manager. It is never printed.
 * @throws StartError in words; what the clients throw
 */
export async function storeCredential(place: Place, options: CredentialOptions): Promise<void> {
  const settings = await place.settings();
  const SecretString = JSON.stringify(await credentialOf(place, options));
  await tryCredential(SecretString);
  const { secrets } = clients(settings);
  await secrets.send(new PutSecretValueCommand({ SecretId: settings.clusterSecret, SecretString }));
}
