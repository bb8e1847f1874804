import { useEffect, useRef, useState } from "preact/hooks";
import type { ShownInstance } from "../../world.ts";
import { api, type MishapBook } from "../api.ts";
import { Panel } from "./panel.tsx";

type Kind = MishapBook["kinds"][number];

/** Places of faults, by the beginnings of the kinds' names; a kind that begins otherwise happens to a machine. */
const places: readonly (readonly [string, RegExp])[] = [
  ["Slack", /^slack-/],
  ["Kubernetes", /^kubernetes-/],
  ["AWS", /^(?:aws|no|launch|instance|lambda|handler|event)-/],
];

const placeOf = ({ kind }: Kind): string => places.find(([, begins]) => begins.test(kind))?.[0] ?? "Machines";

/** The field of the form that says how often; no field of a mishap begins with this sign. */
const TIMES = "#times";

const wordsOf = (kind: string): string => kind.replaceAll("-", " ");

/** Form for ordering a fault: the part of the world that it strikes, and the number of times. */
function OrderForm({ kind, instances, done }: { kind: Kind; instances: readonly ShownInstance[]; done: () => void }) {
  const [fault, setFault] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.scrollIntoView({ block: "nearest" }), []);
  const order = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const entries = [...new FormData(event.currentTarget as HTMLFormElement)].map(([name, value]) => [
      name,
      String(value).trim(),
    ]);
    const { [TIMES]: count = "", ...match } = Object.fromEntries(entries.filter(([, value]) => value !== ""));
    try {
      await api.order(kind.kind, match, count === "" ? undefined : Number(count));
      done();
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <form class="order" ref={form} onSubmit={order}>
      <p>{kind.sentence}</p>
      {Object.entries(kind.fields).map(([name, means]) => (
        <label key={name}>
          <span title={means}>{name}</span>
          <input name={name} placeholder={means} list={name === "instanceId" ? "instance-ids" : ""} />
        </label>
      ))}
      <label>
        <span title="How many times it strikes; empty: until it is ended">times</span>
        <input name={TIMES} type="number" min="1" placeholder="until ended" />
      </label>
      <datalist id="instance-ids">
        {instances.map(({ id }) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      {fault && <p class="fault">{fault}</p>}
      <p class="row">
        <button type="submit" class="kit danger">
          Let it happen
        </button>
        <button type="button" class="kit" onClick={done}>
          Never mind
        </button>
      </p>
    </form>
  );
}

function InForce({ book, again }: { book: MishapBook; again: () => void }) {
  const end = (id: string): Promise<void> => api.end(id).then(again, again);
  return (
    <ul class="in-force">
      {book.inForce.map(({ id, kind, match, count }) => (
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

/** Kinds of faults to order, and the faults that are going on now. */
export function Mishaps(props: { book: MishapBook; instances: readonly ShownInstance[]; again: () => void }) {
  const { book, instances, again } = props;
  const [chosen, choose] = useState<string | null>(null);
  const kind = book.kinds.find((one) => one.kind === chosen);
  return (
    <Panel title="Mishaps" count={book.kinds.length} empty="Nothing can go wrong here yet.">
      {book.inForce.length > 0 && <InForce book={book} again={again} />}
      <Kinds kinds={book.kinds} chosen={chosen} choose={choose} />
      {kind && (
        <OrderForm
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
