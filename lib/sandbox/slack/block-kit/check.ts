/** One thing wrong with a block, where Slack's validator points. */
export interface Fault {
  readonly message: string;
  /** JSON pointer into the call's arguments: /blocks/0/text/text. */
  readonly pointer: string;
}

/** Checks one value and reports its errors; none if it is valid. */
export type Check = (value: unknown, pointer: string) => Fault[];

/** A plain JSON object. */
export type Json = Record<string, unknown>;

/** Finds out whether a value is a JSON object (no array, no null). */
export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** One fault as a list, the way a check returns it. */
export const fault = (message: string, pointer: string): Fault[] => [{ message, pointer }];

/**
 * A string within its limits, in Slack's words. Lengths are UTF-16 units: never laxer than Slack, which counts characters.
 * @param limit most and (default 1) fewest characters
 */
export const string =
  (limit: { readonly min?: number; readonly max: number }): Check =>
  (value, pointer) => {
    const least = limit.min ?? 1;
    if (typeof value !== "string") return fault("must provide a string", pointer);
    if (value.length < least) return fault(`must be more than ${least - 1} characters`, pointer);
    return value.length > limit.max ? fault(`must be less than ${limit.max + 1} characters`, pointer) : [];
  };

/** A whole number from `min` to `max`. */
export const whole =
  (min: number, max: number): Check =>
  (value, pointer) => {
    if (!Number.isInteger(value)) return fault("must provide a number", pointer);
    return Number(value) < min || Number(value) > max ? fault(`must be between ${min} and ${max}`, pointer) : [];
  };

/** true or false. */
export const flag: Check = (value, pointer) =>
  typeof value === "boolean" ? [] : fault("must provide a boolean", pointer);

/** One of the given strings. */
export const oneOf =
  (...allowed: readonly string[]): Check =>
  (value, pointer) =>
    allowed.includes(String(value)) ? [] : fault("must be a valid enum value", pointer);

/** An absolute http(s) address of at most 3,000 characters (facts: Block Kit reference, button `url`). */
export const address: Check = (value, pointer) => {
  const faults = string({ max: 3000 })(value, pointer);
  if (faults.length > 0) return faults;
  return /^https?:\/\/[^\s]+$/.test(String(value)) ? [] : fault("invalid url", pointer);
};

/** A list of `each`, within its limits. */
export const list =
  (each: Check, limit: { readonly min?: number; readonly max: number }): Check =>
  (value, pointer) => {
    if (!Array.isArray(value)) return fault("must provide an array", pointer);
    if (value.length < (limit.min ?? 1)) return fault(`no fewer than ${limit.min ?? 1} items allowed`, pointer);
    if (value.length > limit.max) return fault(`no more than ${limit.max} items allowed`, pointer);
    return value.flatMap((item, index) => each(item, `${pointer}/${index}`));
  };

/** Fields that an object must and may hold, and a rule over the whole. */
export interface Shape {
  readonly required?: Readonly<Record<string, Check>>;
  readonly optional?: Readonly<Record<string, Check>>;
  readonly rule?: (value: Json, pointer: string) => Fault[];
}

/** An object of that shape; a property that the shape does not know is refused, as Slack does. */
export const object =
  (shape: Shape): Check =>
  (value, pointer) => {
    if (!isObject(value)) return fault("must provide an object", pointer);
    const known: Readonly<Record<string, Check>> = { ...shape.required, ...shape.optional };
    const missing = Object.keys(shape.required ?? {}).filter((name) => !Object.hasOwn(value, name));
    const unknown = Object.keys(value).filter((name) => !Object.hasOwn(known, name));
    return [
      ...missing.flatMap((name) => fault(`missing required field: ${name}`, pointer)),
      ...unknown.flatMap((name) => fault(`invalid additional property: ${name}`, pointer)),
      ...Object.entries(known).flatMap(([name, check]) =>
        Object.hasOwn(value, name) ? check(value[name], `${pointer}/${name}`) : [],
      ),
      ...(shape.rule?.(value, pointer) ?? []),
    ];
  };

/** An object whose `type` chooses its shape from the table. */
export const byType =
  (table: Readonly<Record<string, Shape>>): Check =>
  (value, pointer) => {
    if (!isObject(value)) return fault("must provide an object", pointer);
    if (!Object.hasOwn(value, "type")) return fault("missing required field: type", pointer);
    const type = String(value.type);
    const shape = Object.hasOwn(table, type) ? table[type] : undefined;
    if (!shape) return fault(`unsupported type: ${type}`, `${pointer}/type`);
    return object({ ...shape, required: { type: oneOf(type), ...shape.required } })(value, pointer);
  };

/** A rule: at least one of these fields is there. */
export const atLeastOne =
  (...names: readonly string[]) =>
  (value: Json, pointer: string): Fault[] =>
    names.some((name) => Object.hasOwn(value, name)) ? [] : fault(`must provide one of: ${names.join(", ")}`, pointer);
