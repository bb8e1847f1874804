import { logRefusal, refusalKind } from "../../clients/refusals.ts";
import { Retryable } from "../../errors.ts";
import { slackCode, slackWords } from "./slack-code.ts";

/** Logs and counts a refusal that the client took for an answer, such as `msg_too_long`: for this call it is none. */
export function logUnexpected(action: string, error: Error): void {
  const { code = "", statusCode: status = 0 } = error as { readonly code?: string; readonly statusCode?: number };
  const refusal = slackCode(error) ?? code;
  if (code.startsWith("slack_") && refusalKind(refusal, status) === null)
    logRefusal({ service: "slack", action, code: refusal, status }, "denied");
}

/**
 * Calls Slack. Neither a message nor a question is worth the work that it is about: whatever Slack answers, and also if
 * the token cannot be read, the call is tried again, and the work continues.
 * @param method for the log: "chat.update"
 * @throws Retryable
 */
export async function calling<T>(method: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const known = error instanceof Error ? error : new Error(String(error));
    logUnexpected(method, known);
    throw new Retryable(slackWords(known) ?? known.message, { cause: known });
  }
}
