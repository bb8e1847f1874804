import type { EC2ClientConfig } from "@aws-sdk/client-ec2";
import type { WebClientOptions } from "@slack/web-api";

/** Sends one request to the Kubernetes API. */
export type KubernetesExchange = (request: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}) => Promise<{ readonly status: number; readonly headers: Record<string, string>; readonly body: string }>;

/** Replaces the network for requests that leave the process. The host of the handlers may pass one. */
export interface Transport {
  readonly aws: NonNullable<EC2ClientConfig["requestHandler"]>;
  readonly fetch: NonNullable<WebClientOptions["fetch"]>;
  readonly kubernetes: KubernetesExchange;
}
