import type { Transport } from "./transport.ts";

/** Milliseconds. Slack itself waits three seconds. */
const PATIENCE_MS = 5_000;

/**
 * Sends a form to the front door over the internet, as Slack does.
 * @returns the HTTP status of the answer
 */
export const frontDoor =
  (url: string, transport?: Transport) =>
  async (body: string, headers: Readonly<Record<string, string>>): Promise<number> => {
    const send = (transport?.fetch ?? fetch) as typeof fetch;
    const answer = await send(url, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return answer.status;
  };
