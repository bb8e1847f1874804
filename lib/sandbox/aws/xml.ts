/** Characters that XML must escape; control characters become references, as AWS writes them. */
const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Escapes text for use inside an element or attribute. */
export const escapedText = (text: string): string =>
  text.replace(/[&<>"'\p{Cc}\u2028]/gu, (mark) => escapes[mark] ?? `&#x${mark.charCodeAt(0).toString(16)};`);

/** Writes one element; `content` is XML (other elements) and is not escaped. */
export const element = (name: string, content: string): string => `<${name}>${content}</${name}>`;

/** Writes one element around plain text; nothing when there is no value. */
export const textElement = (name: string, value: string | number | boolean | undefined): string =>
  value === undefined ? "" : element(name, escapedText(String(value)));

/** First line of every XML answer. */
export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';
