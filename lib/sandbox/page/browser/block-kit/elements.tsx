import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Setting } from "../../vocabulary.ts";
import type { Input, Kit } from "../api.ts";
import { Confirm, type Confirmation } from "./confirm.tsx";
import { safe } from "./safe-address.ts";
import { Text, type TextObject } from "./text.tsx";

/** Presses or chooses: tells the app at once. */
export type Use = (blockId: string, actionId: string, value?: Input) => unknown;

/** Surroundings of an element: its block, and the ways in which it takes input. */
export interface Place {
  readonly blockId: string;
  readonly setting: Setting;
  readonly use: Use;
  /** In an input block: the value is kept until the dialog is submitted, and `id` is what its label names. */
  readonly input?: { readonly fill: (value: Input) => void; readonly id: string };
}

interface Option {
  readonly text: TextObject;
  readonly value: string;
  readonly description?: TextObject;
}

interface ElementFields {
  readonly action_id: string;
  readonly text: TextObject;
  readonly value?: string;
  readonly url?: string;
  readonly style?: string;
  readonly confirm?: Confirmation;
  readonly accessibility_label?: string;
  readonly options?: readonly Option[];
  readonly option_groups?: readonly { readonly label: TextObject; readonly options: readonly Option[] }[];
  readonly initial_option?: Option;
  readonly initial_options?: readonly Option[];
  readonly initial_value?: string;
  readonly placeholder?: TextObject;
  readonly multiline?: boolean;
  readonly max_length?: number;
  readonly image_url?: string;
  readonly alt_text?: string;
}

interface Drawn {
  readonly element: ElementFields;
  readonly place: Place;
}

/** Something that acts, after the question it may ask first. */
function useConfirmed({ element, place }: Drawn) {
  const [asked, setAsked] = useState<Input | null>(null);
  const act = (value: Input): unknown => place.use(place.blockId, element.action_id, value);
  const question = asked !== null && element.confirm && (
    <Confirm
      ask={element.confirm}
      setting={place.setting}
      no={() => setAsked(null)}
      yes={() => {
        setAsked(null);
        act(asked);
      }}
    />
  );
  return { question, begin: (value: Input) => (element.confirm ? setAsked(value) : act(value)) };
}

function Button(drawn: Drawn) {
  const { element, place } = drawn;
  const [busy, setBusy] = useState(false);
  const { question, begin } = useConfirmed({
    element,
    place: {
      ...place,
      use: async (...how) => {
        setBusy(true);
        await place.use(...how);
        setBusy(false);
      },
    },
  });
  return (
    <>
      <button
        type="button"
        class={`kit ${element.style ?? ""}`}
        disabled={busy}
        data-action={element.action_id}
        aria-label={element.accessibility_label}
        onClick={() => begin(element.value ?? "")}
      >
        <Text text={element.text} setting={place.setting} />
      </button>
      {question}
    </>
  );
}

/** A button with an address opens it, and the app is told of the click (Slack, block elements reference, "Button"). */
const LinkButton = ({ element, place, url }: Drawn & { readonly url: string }) => (
  <a
    class={`kit ${element.style ?? ""}`}
    href={safe(url)}
    target="_blank"
    rel="noreferrer"
    aria-label={element.accessibility_label}
    onClick={() => void place.use(place.blockId, element.action_id, element.value ?? "")}
  >
    <Text text={element.text} setting={place.setting} />
  </a>
);

const options = (list: readonly Option[] = []) =>
  list.map(({ text, value }) => (
    <option key={value} value={value}>
      {text.text}
    </option>
  ));

/** Menus: a static select and, as what Slack shows behind "…", an overflow menu. */
function Select(drawn: Drawn) {
  const { element, place } = drawn;
  const { question, begin } = useConfirmed(drawn);
  const choose = place.input?.fill ?? begin;
  return (
    <>
      <select
        id={place.input?.id}
        class="kit"
        aria-label={element.placeholder?.text ?? "More"}
        value={element.initial_option?.value ?? ""}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        <option value="" disabled>
          {element.placeholder?.text ?? "…"}
        </option>
        {options(element.options)}
        {element.option_groups?.map((group) => (
          <optgroup key={group.label.text} label={group.label.text}>
            {options(group.options)}
          </optgroup>
        ))}
      </select>
      {question}
    </>
  );
}

/** Radio buttons (one) and checkboxes (any number). */
function Choices({ drawn, type }: { drawn: Drawn; type: "radio" | "checkbox" }) {
  const { element, place } = drawn;
  const initial = [...(element.initial_options ?? []), ...(element.initial_option ? [element.initial_option] : [])];
  const [chosen, setChosen] = useState<readonly string[]>(initial.map(({ value }) => value));
  const { question, begin } = useConfirmed(drawn);
  const toggle = (value: string, on: boolean): void => {
    const next = type === "radio" ? [value] : [...chosen.filter((one) => one !== value), ...(on ? [value] : [])];
    setChosen(next);
    (place.input?.fill ?? begin)(type === "radio" ? value : next);
  };
  return (
    <fieldset class="choices" id={place.input?.id}>
      {element.options?.map(({ text, value, description }) => (
        <label key={value}>
          <input
            type={type}
            name={`${place.blockId} ${element.action_id}`}
            checked={chosen.includes(value)}
            onChange={(event) => toggle(value, event.currentTarget.checked)}
          />
          <span>
            <Text text={text} setting={place.setting} />
            {description && (
              <small>
                <Text text={description} setting={place.setting} />
              </small>
            )}
          </span>
        </label>
      ))}
      {question}
    </fieldset>
  );
}

function TextInput({ element, place }: Drawn) {
  const field = {
    id: place.input?.id,
    class: "kit",
    placeholder: element.placeholder?.text,
    defaultValue: element.initial_value ?? "",
    maxLength: element.max_length ?? 3000,
    onInput: (event: Event & { currentTarget: { value: string } }) => place.input?.fill(event.currentTarget.value),
  };
  return element.multiline ? <textarea rows={4} {...field} /> : <input {...field} />;
}

const drawings: Readonly<Record<string, (drawn: Drawn) => JSX.Element>> = {
  button: (drawn) =>
    drawn.element.url === undefined ? <Button {...drawn} /> : <LinkButton {...drawn} url={drawn.element.url} />,
  static_select: (drawn) => <Select {...drawn} />,
  overflow: (drawn) => <Select {...drawn} />,
  radio_buttons: (drawn) => <Choices drawn={drawn} type="radio" />,
  checkboxes: (drawn) => <Choices drawn={drawn} type="checkbox" />,
  plain_text_input: (drawn) => <TextInput {...drawn} />,
  image: ({ element }) => <img src={element.image_url} alt={element.alt_text} />,
};

/** Draws one element of Block Kit; what is not known is named, never hidden. */
export function Element({ element, place }: { element: Kit; place: Place }) {
  const draw = drawings[element.type];
  return draw ? draw({ element: element as unknown as ElementFields, place }) : <em>({element.type})</em>;
}
