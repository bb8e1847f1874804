import type { Directory } from "./directory.ts";

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const escaped = (text: string): string => text.replace(/[&<>]/g, (sign) => entities[sign] ?? sign);

/** Names that Slack's composer takes for web addresses; which endings it knows is assumed, .internal among them. */
const HOST_NAME = /(?<![\w@./-])(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|internal)(?![\w-])/gi;
const WEB_ADDRESS = /https?:\/\/[^\s<>|]+/;

/**
 * A slash command's text as the app receives it when its "escape channels, users and links" setting is on:
 * &, < and > as entities, "@olivia" as <@U…|olivia>, "#windows-nodes" as <#C…|windows-nodes>, links in <…>.
 * Source: guide "Implementing slash commands".
 */
export function commandText(typed: string, { people, channels }: Directory): string {
  const words = escaped(typed.trim()).split(/(\s+)/);
  const user = (name: string): string | undefined => people.find((person) => person.name === name)?.id;
  const channel = (name: string): string | undefined => channels.find((one) => one.name === name)?.id;
  const word = (text: string): string => {
    const name = text.slice(1);
    if (text.startsWith("@") && user(name)) return `<@${user(name)}|${name}>`;
    if (text.startsWith("#") && channel(name)) return `<#${channel(name)}|${name}>`;
    if (WEB_ADDRESS.test(text)) return text.replace(WEB_ADDRESS, "<$&>");
    return text.replace(HOST_NAME, "<http://$&|$&>");
  };
  return words.map(word).join("");
}
