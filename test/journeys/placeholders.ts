import type { WireRequest } from "../../lib/sandbox/core/wire.ts";
import type { Simulator } from "../../lib/sandbox/simulator.ts";

/** The placeholder of the command word, whole or parted as in text from elsewhere, as JSON and as a form hold it. */
const PLACEHOLDER = /.{0,80}(?:\{|%7B)(?:\u034f|%CD%8F)?win(?:\}|%7D).{0,80}/iu;

/** Watches for messages in which the product has not filled in what its command is called. */
export function watchPlaceholders({ slack }: Pick<Simulator, "slack">) {
  const found: string[] = [];
  const look = (text: string): void => {
    const [said] = PLACEHOLDER.exec(text) ?? [];
    if (said !== undefined) found.push(said);
  };
  return {
    slack: {
      answer: (request: WireRequest) => {
        look(Buffer.from(request.body).toString("utf8"));
        return slack.answer(request);
      },
    },
    /** @throws Error that shows every message with a placeholder */
    check: (): void => {
      for (const { text, blocks } of slack.messages()) look(`${text} ${JSON.stringify(blocks)}`);
      if (found.length > 0) throw new Error(`{win} reached Slack:\n${found.join("\n")}`);
    },
  };
}
