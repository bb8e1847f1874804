import { useEffect, useRef } from "preact/hooks";
import type { Seat, Setting } from "../../vocabulary.ts";
import type { Message } from "../api.ts";
import { MessageRow } from "./message-row.tsx";
import { Thread } from "./thread.tsx";

/** Messages of one author within five minutes are drawn together, as Slack does. */
const TOGETHER_SECONDS = 300;

const follows = (message: Message, before: Message | undefined): boolean =>
  before !== undefined &&
  before.user === message.user &&
  before.onlyTo === message.onlyTo &&
  Number(message.ts) - Number(before.ts) < TOGETHER_SECONDS;

/** Whether a message is this person's own doing: something said, or an answer to them alone. */
const isOwn = ({ user, onlyTo }: Message, seat: Seat): boolean => user === seat.id || onlyTo === seat.id;

/** Keeps the newest message in sight unless the user scrolled up; an action of the user scrolls down again. */
function useStickyEnd(messages: readonly Message[], seat: Seat) {
  const list = useRef<HTMLDivElement>(null);
  const place = useRef({ atEnd: true, top: 0, newest: "" });
  const watch = (): void => {
    const element = list.current;
    if (!element) return;
    const { scrollTop, scrollHeight, clientHeight } = element;
    // Growing content moves the end without a scroll by the user: only scrolling up means that they read.
    const stayed = place.current.atEnd && scrollTop >= place.current.top;
    place.current.atEnd = stayed || scrollHeight - scrollTop - clientHeight < 80;
    place.current.top = scrollTop;
  };
  useEffect(() => {
    const newest = messages.at(-1);
    if (newest && newest.ts !== place.current.newest) {
      place.current.newest = newest.ts;
      place.current.atEnd ||= isOwn(newest, seat);
    }
    if (place.current.atEnd) list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [messages, seat]);
  return { list, watch };
}

/** The messages of a channel as one person sees them. */
export function Channel(props: { messages: readonly Message[]; channelId: string; setting: Setting; seat: Seat }) {
  const { messages, setting, seat, channelId } = props;
  const { list, watch } = useStickyEnd(messages, seat);
  const roots = messages.filter(
    ({ threadTs, ts, broadcast }) => threadTs === undefined || threadTs === ts || broadcast,
  );
  const { commandWord } = setting.vocabulary;
  return (
    <div class="messages" ref={list} onScroll={watch} role="log" aria-label="Messages">
      {roots.length === 0 && (
        <div class="empty">
          <p>Nothing has been said here yet.</p>
          <p>
            Type <code>{commandWord} help</code> for what can be done, or <code>{commandWord} nodes</code> to look
            around.
          </p>
        </div>
      )}
      {roots.map((message, index) => {
        const replies = messages.filter(({ threadTs, ts }) => threadTs === message.ts && ts !== message.ts);
        return (
          <div key={message.ts}>
            <MessageRow message={message} compact={follows(message, roots[index - 1])} setting={setting} seat={seat} />
            {replies.length > 0 && (
              <Thread root={message} replies={replies} setting={setting} seat={seat} channelId={channelId} />
            )}
          </div>
        );
      })}
    </div>
  );
}
