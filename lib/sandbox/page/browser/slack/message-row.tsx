import { useState } from "preact/hooks";
import type { Seat, Setting } from "../../vocabulary.ts";
import { api, type Message } from "../api.ts";
import { Blocks } from "../block-kit/blocks.tsx";
import { timeOfMessage } from "../block-kit/dates.ts";
import type { Use } from "../block-kit/elements.tsx";
import { Mrkdwn } from "../block-kit/text.tsx";
import { Avatar, authorOf } from "./people.tsx";

/** Presses buttons of a message; says which one is being pressed, and what went wrong. */
function usePress(message: Message, seat: Seat): { readonly use: Use; readonly fault: string | null } {
  const [fault, setFault] = useState<string | null>(null);
  const use: Use = async (blockId, actionId, value) => {
    setFault(null);
    const press = {
      channel: message.channel,
      messageTs: message.ts,
      actionId,
      blockId,
      ...(value !== undefined && { value }),
    };
    try {
      await api.press(seat.id, press);
    } catch (error) {
      setFault(String(error));
    }
  };
  return { use, fault };
}

/** One message: who, when, what, and whom it is for. */
export function MessageRow(props: { message: Message; compact: boolean; setting: Setting; seat: Seat }) {
  const { message, compact, setting, seat } = props;
  const author = authorOf(message.user, setting);
  const { use, fault } = usePress(message, seat);
  return (
    <article class={compact ? "message compact" : "message"} aria-label={`${author.name}: ${message.text}`}>
      {compact ? <time class="aside">{timeOfMessage(message.ts)}</time> : <Avatar name={author.name} />}
      <div class="said">
        {message.onlyTo !== undefined && <p class="only">Only visible to you</p>}
        {!compact && (
          <p class="by">
            <b>{author.name}</b> {author.isApp && <span class="app">APP</span>} <time>{timeOfMessage(message.ts)}</time>{" "}
            {message.edited && <span class="edited">(edited)</span>}
          </p>
        )}
        {message.blocks.length > 0 ? (
          <Blocks blocks={message.blocks} setting={setting} use={use} />
        ) : (
          <p class="text">
            <Mrkdwn text={message.text} setting={setting} />
          </p>
        )}
        {compact && message.edited && <span class="edited">(edited)</span>}
        {fault && <p class="fault">{fault}</p>}
      </div>
    </article>
  );
}
