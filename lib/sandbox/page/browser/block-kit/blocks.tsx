import type { JSX } from "preact";
import type { Setting } from "../../vocabulary.ts";
import type { Input, Kit } from "../api.ts";
import { Element, type Place, type Use } from "./elements.tsx";
import { RichText } from "./rich-text.tsx";
import { Mrkdwn, Text, type TextObject } from "./text.tsx";

interface BlocksProps {
  readonly blocks: readonly Kit[];
  readonly setting: Setting;
  readonly use: Use;
  /** In a dialog: keeps what is entered, by block id. */
  readonly fill?: (blockId: string, value: Input) => void;
  /** In a dialog: what is wrong with a field, by block id. */
  readonly complaints?: Readonly<Record<string, string>>;
}

interface BlockFields {
  readonly text?: TextObject;
  readonly fields?: readonly TextObject[];
  readonly accessory?: Kit;
  readonly element: Kit;
  readonly elements: readonly Kit[];
  readonly label: TextObject;
  readonly hint?: TextObject;
  readonly optional?: boolean;
  readonly rows: readonly (readonly Kit[])[];
  readonly column_settings?: readonly ({ readonly align?: string } | null)[];
}

type Drawing = (block: BlockFields, place: Place, props: BlocksProps) => JSX.Element;

const section: Drawing = ({ text, fields, accessory }, place) => (
  <div class="section">
    <div>
      {text && (
        <div class="text">
          <Text text={text} setting={place.setting} />
        </div>
      )}
      {fields && (
        <div class="fields">
          {fields.map((field) => (
            <div key={field.text}>
              <Text text={field} setting={place.setting} />
            </div>
          ))}
        </div>
      )}
    </div>
    {accessory && <Element element={accessory} place={place} />}
  </div>
);

const input: Drawing = ({ label, element, hint, optional }, place, { fill, complaints }) => {
  const id = `field-${place.blockId}`;
  const complaint = complaints?.[place.blockId];
  const filling = { ...place, input: { id, fill: (value: Input) => fill?.(place.blockId, value) } };
  return (
    <div class="field">
      <label for={id}>
        <Text text={label} setting={place.setting} /> {optional && <small>(optional)</small>}
      </label>
      <Element element={element} place={filling} />
      {complaint !== undefined && <p class="fault">{complaint}</p>}
      {hint && (
        <small>
          <Text text={hint} setting={place.setting} />
        </small>
      )}
    </div>
  );
};

const cell = (content: Kit, setting: Setting): JSX.Element =>
  content.type === "rich_text" ? (
    <RichText elements={content.elements as readonly Kit[]} setting={setting} />
  ) : (
    <span>{String(content.text)}</span>
  );

const table: Drawing = ({ rows, column_settings }, { setting }) => (
  <div class="wide">
    <table class="kit">
      <tbody>
        {rows.map((row, line) => (
          <tr key={`${line} of ${rows.length}`}>
            {row.map((content, column) => (
              <td key={`${column} of ${row.length}`} style={{ textAlign: column_settings?.[column]?.align ?? "left" }}>
                {cell(content, setting)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

const drawings: Readonly<Record<string, Drawing>> = {
  header: ({ text }, { setting }) => <h3>{text && <Text text={text} setting={setting} />}</h3>,
  section,
  context: ({ elements }, place) => (
    <div class="context">
      {elements.map((element) =>
        element.type === "image" ? (
          <Element key={String(element.image_url)} element={element} place={place} />
        ) : (
          <span key={String(element.text)}>
            <Text text={element as unknown as TextObject} setting={place.setting} />
          </span>
        ),
      )}
    </div>
  ),
  actions: ({ elements }, place) => (
    <div class="actions">
      {elements.map((element) => (
        <Element key={String(element.action_id)} element={element} place={place} />
      ))}
    </div>
  ),
  divider: () => <hr />,
  input,
  table,
  image: (block, place) => <Element element={block as unknown as Kit} place={place} />,
  markdown: ({ text }, { setting }) => <Mrkdwn text={String(text)} setting={setting} />,
  rich_text: ({ elements }, { setting }) => <RichText elements={elements} setting={setting} />,
};

/** Draws Block Kit as Slack draws it; a block that is not known is named, never hidden. */
export function Blocks(props: BlocksProps) {
  const { blocks, setting, use } = props;
  return (
    <div class="blocks">
      {blocks.map((block, index) => {
        const blockId = String(block.block_id ?? index);
        const draw = drawings[block.type];
        return (
          <div key={blockId} class={`block ${block.type}`}>
            {draw ? draw(block as unknown as BlockFields, { blockId, setting, use }, props) : <em>({block.type})</em>}
          </div>
        );
      })}
    </div>
  );
}
