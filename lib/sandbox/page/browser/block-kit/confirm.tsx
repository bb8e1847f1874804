import type { Setting } from "../../vocabulary.ts";
import { useModal } from "./modal.ts";
import { Text, type TextObject } from "./text.tsx";

/** Block Kit's confirmation dialog. */
export interface Confirmation {
  readonly title: TextObject;
  readonly text: TextObject;
  readonly confirm: TextObject;
  readonly deny: TextObject;
  readonly style?: string;
}

/** Asks before an element acts. */
export function Confirm(props: { ask: Confirmation; setting: Setting; yes: () => void; no: () => void }) {
  const { ask, setting, yes, no } = props;
  const dialog = useModal("footer button");
  return (
    <dialog ref={dialog} class="modal small" aria-label={ask.title.text} onCancel={no}>
      <header>
        <h2>
          <Text text={ask.title} setting={setting} />
        </h2>
      </header>
      <div class="content">
        <Text text={ask.text} setting={setting} />
      </div>
      <footer>
        <button type="button" class="kit" onClick={no}>
          <Text text={ask.deny} setting={setting} />
        </button>
        <button type="button" class={ask.style === "danger" ? "kit danger" : "kit primary"} onClick={yes}>
          <Text text={ask.confirm} setting={setting} />
        </button>
      </footer>
    </dialog>
  );
}
