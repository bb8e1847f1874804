import { useEffect, useRef, useState } from "preact/hooks";
import type { Seat, Vocabulary } from "../../vocabulary.ts";
import { api } from "../api.ts";
import { completed, completion, type Names, type Suggestion } from "./completion.ts";

interface ComposerProps {
  readonly vocabulary: Vocabulary;
  readonly names: Names;
  readonly channelId: string;
  readonly seat: Seat;
  readonly placeholder: string;
}

function Suggestions(props: {
  list: readonly Suggestion[];
  chosen: number;
  form: string | null;
  take: (word: string) => void;
}) {
  const { list, chosen, form, take } = props;
  if (list.length === 0 && form === null) return null;
  return (
    <div class="suggestions">
      {form !== null && <p class="form">{form}</p>}
      {list.length > 0 && (
        <div role="listbox" id="suggestions" aria-label="Suggestions">
          {list.map(({ word, means }, index) => (
            <div
              role="option"
              key={word}
              id={`suggestion-${index}`}
              tabIndex={-1}
              aria-selected={index === chosen}
              onMouseDown={(event) => {
                event.preventDefault();
                take(word);
              }}
            >
              <b>{word}</b> <span>{means}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

/** Offer of a list that was closed with Escape, until the text changes. */
const NOTHING_OFFERED: ReturnType<typeof completion> = { suggestions: [], form: null };

/** The text being written, what completes it, and what was sent before (arrow up on an empty line). */
function useDraft({ vocabulary, names, channelId, seat }: ComposerProps) {
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(-1);
  const [fault, setFault] = useState<string | null>(null);
  const [closed, setClosed] = useState(false);
  const sent = useRef("");
  const offered = closed ? NOTHING_OFFERED : completion(text, vocabulary, names);
  const write = (next: string): void => {
    setText(next);
    setChosen(-1);
    setClosed(false);
  };
  const close = (): void => {
    setChosen(-1);
    setClosed(true);
  };
  const send = async (): Promise<void> => {
    if (text.trim() === "") return;
    sent.current = text.trim();
    write("");
    setFault(null);
    try {
      await api.type(seat.id, channelId, sent.current);
    } catch (error) {
      setFault(`Not sent: ${error instanceof TypeError ? "the sandbox does not answer." : String(error)}`);
      write(sent.current);
    }
  };
  return { text, write, chosen, setChosen, offered, close, send, fault, recall: () => write(sent.current) };
}

type Draft = ReturnType<typeof useDraft>;

const move = ({ offered, chosen, setChosen }: Draft, by: number): void => {
  const count = offered.suggestions.length;
  setChosen((chosen + by + count) % count);
};

/** Actions of the keys; each returns false when it has nothing to do. */
const keys: Readonly<Record<string, (draft: Draft) => boolean>> = {
  Tab: (draft) => {
    const word = draft.offered.suggestions[Math.max(draft.chosen, 0)]?.word;
    if (word !== undefined) draft.write(completed(draft.text, word));
    return word !== undefined;
  },
  Enter: (draft) => {
    const word = draft.offered.suggestions[draft.chosen]?.word;
    if (word === undefined) void draft.send();
    else draft.write(completed(draft.text, word));
    return true;
  },
  ArrowDown: (draft) => {
    if (draft.offered.suggestions.length > 0) move(draft, 1);
    return draft.offered.suggestions.length > 0;
  },
  ArrowUp: (draft) => {
    if (draft.text === "") draft.recall();
    else if (draft.offered.suggestions.length > 0) move(draft, -1);
    return true;
  },
  Escape: (draft) => {
    draft.close();
    return true;
  },
};

/** Field in which a person types: plain words go into the channel, the command word's completion helps with the rest. */
export function Composer(props: ComposerProps) {
  const draft = useDraft(props);
  const { text, write, chosen, offered, fault } = draft;
  const field = useRef<HTMLInputElement>(null);
  // The composer has the focus when the page opens and when the user changes.
  useEffect(() => field.current?.focus(), [props.seat.id]);
  return (
    <footer class="composer">
      <Suggestions
        list={offered.suggestions}
        chosen={chosen}
        form={offered.form}
        take={(word) => write(completed(text, word))}
      />
      {fault && <p class="fault">{fault}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void draft.send();
        }}
      >
        <input
          ref={field}
          value={text}
          placeholder={props.placeholder}
          aria-label={`Message as ${props.seat.name}`}
          role="combobox"
          aria-expanded={offered.suggestions.length > 0}
          aria-controls="suggestions"
          aria-activedescendant={chosen >= 0 ? `suggestion-${chosen}` : ""}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => {
            // Shift+Tab goes back, as everywhere.
            if (!(event.shiftKey && event.key === "Tab") && keys[event.key]?.(draft)) event.preventDefault();
          }}
        />
        <button type="submit" disabled={text.trim() === ""}>
          Send
        </button>
      </form>
    </footer>
  );
}
