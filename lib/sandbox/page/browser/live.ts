import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Snapshot } from "../snapshot.ts";
import type { Setting } from "../vocabulary.ts";
import { api, type FaultList, type SlackView } from "./api.ts";

/** Interval at which the simulator's half is polled; Slack's half is told of changes by an event stream. */
const LOOK_MS = 1_000;

/** Asks a question, never twice at once: a wish that comes while it is being asked is granted afterwards. */
function useAnswer<T>(question: () => Promise<T>) {
  const [answer, setAnswer] = useState<T>();
  const [lost, setLost] = useState(false);
  const current = useRef(question);
  current.current = question;
  const asking = useRef({ busy: false, wished: false });
  const ask = useCallback(async (): Promise<void> => {
    const state = asking.current;
    state.wished = true;
    if (state.busy) return;
    state.busy = true;
    while (state.wished) {
      state.wished = false;
      const failed = await current.current().then(setAnswer, () => true);
      setLost(failed === true);
    }
    state.busy = false;
  }, []);
  return { answer, ask, lost };
}

/** Reads the setting, which never changes; undefined until it has come. */
export function useSetting(): Setting | undefined {
  const [setting, setSetting] = useState<Setting>();
  useEffect(() => {
    api.setting().then(setSetting, () => setTimeout(() => location.reload(), LOOK_MS));
  }, []);
  return setting;
}

/** Reads a person's view of Slack, always fresh. */
export function useSlack(userId: string): SlackView {
  const { answer, ask } = useAnswer(async () => ({ userId, ui: await api.slack(userId) }));
  useEffect(() => {
    const events = new EventSource("/page/events");
    events.addEventListener("changed", ask);
    return () => events.close();
  }, [ask]);
  useEffect(() => {
    if (userId) void ask();
  }, [ask, userId]);
  return answer?.userId === userId ? answer.ui : { messages: [], views: [] };
}

/** Polls the simulator's state and the faults once a second; `again` polls at once. */
export function useSnapshot(): {
  readonly snapshot: Snapshot | undefined;
  readonly faults: FaultList;
  readonly lost: boolean;
  readonly again: () => void;
} {
  const { answer, ask, lost } = useAnswer(async () => {
    const [snapshot, faults] = await Promise.all([api.snapshot(), api.faults()]);
    return { snapshot, faults };
  });
  useEffect(() => {
    void ask();
    const timer = setInterval(ask, LOOK_MS);
    return () => clearInterval(timer);
  }, [ask]);
  return { snapshot: answer?.snapshot, faults: answer?.faults ?? { kinds: [], inForce: [] }, lost, again: ask };
}
