import { useEffect, useRef, useState } from "preact/hooks";
import type { ShownInstance } from "../../snapshot.ts";
import { api, type FaultList } from "../api.ts";
import { Panel } from "./panel.tsx";

type Kind = FaultList["kinds"][number];

/** Part of the sandbox that a fault affects, by the beginning of its kind's name; the others affect a machine. */
const places: readonly (readonly [string, RegExp])[] = [
  ["Slack", /^slack-/],
  ["Kubernetes", /^(?:kubernetes|webhook)-/],
  ["AWS", /^(?:aws|no|launch|instance|lambda|handler|event)-/],
];

const placeOf = ({ kind }: Kind): string => places.find(([, begins]) => begins.test(kind))?.[0] ?? "Machines";

/** Field of the form for the count; no field of a fault begins with this sign. */
const TIMES = "#times";

const wordsOf = (kind: string): string => kind.replaceAll("-", " ");

/** Form for injecting a fault: what it applies to, and how many times. */
function InjectForm({ kind, instances, done }: { kind: Kind; instances: readonly ShownInstance[]; done: () => void }) {
  const [problem, setProblem] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.scrollIntoView({ block: "nearest" }), []);
  const inject = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const entries = [...new FormData(event.currentTarget as HTMLFormElement)].map(([name, value]) => [
      name,
      String(value).trim(),
    ]);
    const { [TIMES]: count = "", ...match } = Object.fromEntries(entries.filter(([, value]) => value !== ""));
    try {
      await api.inject(kind.kind, match, count === "" ? undefined : Number(count));
      done();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form class="inject" ref={form} onSubmit={inject}>
      <p>{kind.sentence}</p>
      {Object.entries(kind.fields).map(([name, means]) => (
        <label key={name}>
          <span title={means}>{name}</span>
          <input name={name} placeholder={means} list={name === "instanceId" ? "instance-ids" : ""} />
        </label>
      ))}
      <label>
        <span title="How many times it applies; empty: until it is ended">times</span>
        <input name={TIMES} type="number" min="1" placeholder="until ended" />
      </label>
      <datalist id="instance-ids">
        {instances.map(({ id }) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      {problem && <p class="fault">{problem}</p>}
      <p class="row">
        <button type="submit" class="kit danger">
          Inject
        </button>
        <button type="button" class="kit" onClick={done}>
          Cancel
        </button>
      </p>
    </form>
  );
}

function InForce({ faults, again }: { faults: FaultList; again: () => void }) {
  const end = (id: string): Promise<void> => api.end(id).then(again, again);
  return (
    <ul class="in-force">
      {faults.inForce.map(({ id, kind, match, count }) => (
        <li key={id}>
          <span class="state bad">{wordsOf(kind)}</span>{" "}
          <span class="dim">
            {Object.entries(match)
              .map(([field, value]) => `${field} = ${value}`)
              .join(", ") || "everywhere"}
            {count === undefined ? "" : ` · ${count} more`}
          </span>
          <button type="button" class="kit end" onClick={() => end(id)}>
            End
          </button>
        </li>
      ))}
    </ul>
  );
}

function Kinds(props: { kinds: readonly Kind[]; chosen: string | null; choose: (kind: string | null) => void }) {
  const { kinds, chosen, choose } = props;
  return (
    <dl class="kinds">
      {[...Map.groupBy(kinds, placeOf)].map(([place, members]) => (
        <div key={place}>
          <dt>{place}</dt>
          <dd>
            {members.map((one) => (
              <button
                type="button"
                key={one.kind}
                class="chip"
                title={one.sentence}
                aria-pressed={one.kind === chosen}
                onClick={() => choose(one.kind === chosen ? null : one.kind)}
              >
                {wordsOf(one.kind)}
              </button>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Kinds of faults to inject, and the faults in force. */
export function Faults(props: { faults: FaultList; instances: readonly ShownInstance[]; again: () => void }) {
  const { faults, instances, again } = props;
  const [chosen, choose] = useState<string | null>(null);
  const kind = faults.kinds.find((one) => one.kind === chosen);
  return (
    <Panel title="Faults" count={faults.kinds.length} empty="No faults to inject.">
      {faults.inForce.length > 0 && <InForce faults={faults} again={again} />}
      <Kinds kinds={faults.kinds} chosen={chosen} choose={choose} />
      {kind && (
        <InjectForm
          key={kind.kind}
          kind={kind}
          instances={instances}
          done={() => {
            choose(null);
            again();
          }}
        />
      )}
    </Panel>
  );
}
