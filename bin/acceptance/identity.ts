import { awsCalls } from "../../lambdas/clients/aws-call.ts";
import type { Settings } from "../../lambdas/settings.ts";
import { StartError } from "../start-error.ts";

/**
 * Reads which AWS identity this terminal acts with (STS, API GetCallerIdentity).
 * @returns its ARN: "arn:aws:sts::111122223333:assumed-role/…/olivia@example.com"
 * @throws StartError if STS names none; AwsError if STS refuses
 */
export async function callerArn(settings: Settings): Promise<string> {
  const { text = "" } = await awsCalls(settings)({
    service: "sts",
    method: "POST",
    path: "/",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ Action: "GetCallerIdentity", Version: "2011-06-15" }).toString(),
  });
  const arn = /<Arn>([^<]+)<\/Arn>/.exec(String(text))?.[1];
  if (arn === undefined) throw new StartError("AWS STS does not say whose credentials these are: sign in again");
  return arn;
}
