import type { EC2ClientConfig } from "@aws-sdk/client-ec2";
import type { WebClientOptions } from "@slack/web-api";

/** One exchange with the Kubernetes API. */
export type KubernetesExchange = (request: {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}) => Promise<{ readonly status: number; readonly headers: Record<string, string>; readonly body: string }>;

/** Path of requests out of the process; by default the network. The host of the handlers may hand in another way. */
export interface Transport {
  readonly aws: NonNullable<EC2ClientConfig["requestHandler"]>;
  readonly fetch: NonNullable<WebClientOptions["fetch"]>;
  readonly kubernetes: KubernetesExchange;
}
