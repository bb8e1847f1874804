import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Setting } from "../vocabulary.ts";
import type { World } from "../world.ts";
import { api, type FaultList, type SlackView } from "./api.ts";

/** Interval at which the live half looks at the world; Slack's half is told of changes. */
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

/** The world and the faults, looked at once a second; `again` looks at once. */
export function useWorld(): {
  readonly world: World | undefined;
  readonly faults: FaultList;
  readonly lost: boolean;
  readonly again: () => void;
} {
  const { answer, ask, lost } = useAnswer(async () => {
    const [world, faults] = await Promise.all([api.world(), api.faults()]);
    return { world, faults };
  });
  useEffect(() => {
    void ask();
    const timer = setInterval(ask, LOOK_MS);
    return () => clearInterval(timer);
  }, [ask]);
  return { world: answer?.world, faults: answer?.faults ?? { kinds: [], inForce: [] }, lost, again: ask };
}
