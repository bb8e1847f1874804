import type { Setting } from "../../vocabulary.ts";

/** One colour per name, the same in every session. */
const hueOf = (name: string): number => [...name].reduce((hue, letter) => (hue * 31 + letter.charCodeAt(0)) % 360, 7);

/** A square with initials in the person's colour. */
export function Avatar({ name, small = false }: { name: string; small?: boolean }) {
  const initials = name
    .split(/[\s-]+/)
    .map((word) => word[0] ?? "")
    .join("")
    .slice(0, 2)
    .toUpperCase();
  return (
    <span
      class={small ? "avatar small" : "avatar"}
      style={{ background: `hsl(${hueOf(name)} 45% 32%)` }}
      aria-hidden="true"
    >
      {initials}
    </span>
  );
}

/** Author of a message. */
export interface Author {
  readonly name: string;
  readonly isApp: boolean;
}

/** Finds the author behind a user id, in the words of the page. */
export function authorOf(userId: string, setting: Setting): Author {
  if (userId === setting.bot.userId) return { name: setting.bot.name, isApp: true };
  if (userId === "USLACKBOT") return { name: "Slackbot", isApp: true };
  return { name: setting.people.find(({ id }) => id === userId)?.name ?? userId, isApp: false };
}
