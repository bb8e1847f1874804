import { useEffect, useRef, useState } from "preact/hooks";
import type { Seat, Setting } from "../../vocabulary.ts";
import { api, type Message } from "../api.ts";
import { timeOfMessage } from "../block-kit/dates.ts";
import { MessageRow } from "./message-row.tsx";

function Reply({ root, seat, channelId }: { root: Message; seat: Seat; channelId: string }) {
  const [text, setText] = useState("");
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (text.trim() === "") return;
    setText("");
    await api.type(seat.id, channelId, text, root.ts);
  };
  return (
    <form class="reply" onSubmit={send}>
      <input
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        placeholder="Reply…"
        aria-label="Reply in thread"
      />
    </form>
  );
}

/** The replies to a message, folded until they are opened. */
export function Thread(props: {
  root: Message;
  replies: readonly Message[];
  setting: Setting;
  seat: Seat;
  channelId: string;
}) {
  const { root, replies, setting, seat, channelId } = props;
  const [open, setOpen] = useState(false);
  const thread = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (open) thread.current?.scrollIntoView({ block: "nearest" });
  }, [open]);
  const last = replies.at(-1)?.ts ?? root.ts;
  const count = `${replies.length} ${replies.length === 1 ? "reply" : "replies"}`;
  return (
    <div class="thread" ref={thread}>
      <button type="button" class="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span aria-hidden="true">{open ? "▾" : "▸"}</span> {count} <small>last at {timeOfMessage(last)}</small>
      </button>
      {open && (
        <div class="replies">
          {replies.map((reply, index) => (
            <MessageRow
              key={reply.ts}
              message={reply}
              compact={index > 0 && replies[index - 1]?.user === reply.user}
              setting={setting}
              seat={seat}
            />
          ))}
          <Reply root={root} seat={seat} channelId={channelId} />
        </div>
      )}
    </div>
  );
}
