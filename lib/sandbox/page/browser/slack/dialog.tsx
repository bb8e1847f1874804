import { useState } from "preact/hooks";
import type { Seat, Setting } from "../../vocabulary.ts";
import { api, type Input, type Shown, type Values, type View } from "../api.ts";
import { Blocks } from "../block-kit/blocks.tsx";
import { useModal } from "../block-kit/modal.ts";

/** A dialog's fields and what is going on with it. */
function useFilled(view: View, seat: Seat) {
  const [values, setValues] = useState<Values>({});
  const [complaints, setComplaints] = useState<Shown["complaints"]>({});
  const [notice, setNotice] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const act = async (what: () => Promise<Shown>): Promise<void> => {
    setBusy(true);
    try {
      const shown = await what();
      setComplaints(shown.complaints);
      setNotice(shown.notice);
    } catch (error) {
      setNotice(String(error));
    }
    setBusy(false);
  };
  return {
    complaints,
    notice,
    busy,
    fill: (blockId: string, input: Input) => setValues((before) => ({ ...before, [blockId]: input })),
    submit: () => act(() => api.submit(seat.id, view.id, values)),
    close: () => act(() => api.close(seat.id, view.id)),
    press: (blockId: string, actionId: string, value?: Input) =>
      act(() => api.press(seat.id, { viewId: view.id, blockId, actionId, ...(value !== undefined && { value }) })),
  };
}

/** Selector of the element that the keyboard begins with: the first field or, where nothing is asked, the way out. */
const FIRST = ".content :is(input, textarea, select), footer button";

/** A modal that the app opened in front of the person. */
export function Dialog({ view, seat, setting }: { view: View; seat: Seat; setting: Setting }) {
  const dialog = useModal(FIRST);
  const filled = useFilled(view, seat);
  return (
    <dialog
      ref={dialog}
      class="modal"
      aria-label={view.title.text}
      onCancel={(event) => {
        event.preventDefault();
        void filled.close();
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void filled.submit();
        }}
      >
        <header>
          <h2>{view.title.text}</h2>
          <button type="button" class="icon" aria-label="Close the dialog" onClick={filled.close}>
            ✕
          </button>
        </header>
        <div class="content">
          <Blocks
            blocks={view.blocks}
            setting={setting}
            use={filled.press}
            fill={filled.fill}
            complaints={filled.complaints}
          />
          {filled.notice && <p class="fault">{filled.notice}</p>}
        </div>
        <footer>
          <button type="button" class="kit" onClick={filled.close} disabled={filled.busy}>
            {view.close?.text ?? "Cancel"}
          </button>
          {view.submit && (
            <button type="submit" class="kit primary" disabled={filled.busy}>
              {view.submit.text}
            </button>
          )}
        </footer>
      </form>
    </dialog>
  );
}
