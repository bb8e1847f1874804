import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Opens a dialog in front of everything, and gives the keyboard back to where it was when the dialog goes.
 * @param first what the keyboard begins with, as a selector inside the dialog
 */
export function useModal(first: string) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    const shown = dialog.current;
    shown?.showModal();
    shown?.querySelector<HTMLElement>(first)?.focus();
    return () => {
      shown?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, [first]);
  return dialog;
}
