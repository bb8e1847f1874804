import { constructFromEvents, EVENT_ID, type Event, getScalarValue, parseEvents, YAMLException } from "js-yaml";
import { Refused } from "../errors.ts";

/** A YAML text with the parser's events, by which the lines of its values are found. */
interface ParsedYaml {
  readonly events: readonly Event[];
  readonly documents: readonly unknown[];
}

/**
 * Parses the documents of a YAML text without aliases.
 * @param from source of the text, for the error message
 * @throws Refused that names the line
 */
export function documentsIn(text: string, from: string): ParsedYaml {
  try {
    const events = parseEvents(text, {});
    // Without aliases a small text cannot grow into a large value.
    return { events, documents: constructFromEvents(events, { source: text, maxAliases: 0 }) };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark ? ` line ${error.mark.line + 1}:` : "";
    throw new Refused(`${from}:${line} ${error.reason}`, { cause: error });
  }
}

/** The place of one value in a YAML text: of its key, or of the item of a list. */
interface Place {
  readonly offset: number;
  readonly children: Map<PropertyKey, Place>;
}

interface Frame {
  readonly place: Place;
  readonly isMapping: boolean;
  /** Key whose value comes next. */
  key: { readonly name: string; readonly offset: number } | undefined;
}

const offsetOf = (event: Event): number => {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  return event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE ? event.start : -1;
};

const added = ({ place, isMapping, key }: Frame, offset: number): Place => {
  const child: Place = { offset: isMapping && key ? key.offset : offset, children: new Map() };
  place.children.set(isMapping && key ? key.name : place.children.size, child);
  return child;
};

/** The places of all values, by the number of their document and their path in it. Aliases must have been refused. */
function placesIn(text: string, events: readonly Event[]): Place {
  const top: Place = { offset: 0, children: new Map() };
  const frames: Frame[] = [{ place: top, isMapping: false, key: undefined }];
  for (const event of events) {
    const frame = frames.at(-1);
    if (!frame) break;
    if (event.type === EVENT_ID.POP) frames.pop();
    else if (event.type === EVENT_ID.SCALAR && frame.isMapping && !frame.key)
      frame.key = { name: getScalarValue(text, event), offset: event.valueStart };
    else {
      const place = added(frame, offsetOf(event));
      frame.key = undefined;
      if (event.type !== EVENT_ID.SCALAR)
        frames.push({ place, isMapping: event.type === EVENT_ID.MAPPING, key: undefined });
    }
  }
  return top;
}

/**
 * Finds the line of a value, or of the innermost one around it that exists.
 * @param events the parser's events of the text, without aliases
 * @param path number of the document and the path in it
 * @returns counted from 1
 */
export function lineOf(text: string, events: readonly Event[], [document, ...path]: readonly PropertyKey[]): number {
  let offset = 0;
  let place: Place | undefined = placesIn(text, events);
  // A document has one value, its first child.
  for (const key of [document ?? 0, 0, ...path]) {
    place = place.children.get(key);
    if (!place) break;
    if (place.offset >= 0) offset = place.offset;
  }
  return text.slice(0, offset).split("\n").length;
}
