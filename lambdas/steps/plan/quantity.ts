/** Suffixes of a quantity (apimachinery's resource.Quantity), each with its factor. */
const suffixes: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/**
 * Converts a Kubernetes quantity to its base unit: cores, bytes, pieces. The client library's own parser rejects
 * fractions such as "1.5Gi", which the API server accepts.
 * @throws Error if the text is not a quantity
 */
export function inBaseUnits(quantity: string): number {
  const [, digits = "", suffix = ""] = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([a-zA-Z]*)$/.exec(quantity) ?? [];
  const factor = suffixes[suffix];
  const value = Number(digits);
  if (digits === "" || factor === undefined || Number.isNaN(value)) throw new Error(`${quantity} is not a quantity`);
  return value * factor;
}
