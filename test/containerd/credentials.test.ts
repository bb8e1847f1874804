import { expect, test } from "vitest";
import { mirrorsOf } from "../../lambdas/inputs/mirrors/mirrors.ts";
import { byTag, never } from "../inputs/mirrors/rules.ts";
import type { Containerd } from "./containerd.ts";
import { describeEach } from "./each.ts";
import type { Registry } from "./vectors.ts";

const hosts = ["a.example", "b.example", "src.example", "cdn.example", "auth.example"];
const users: Readonly<Record<string, string>> = { "a.example": "a:one", "b.example": "b:two" };
const basic = (host: string): string => `Basic ${Buffer.from(users[host] ?? "").toString("base64")}`;

const allowed = byTag("src.example", ["a.example", "b.example"]);

/** The file of the source, with its holes filled as the machine fills them. */
const filesFor = (rule: typeof allowed): Readonly<Record<string, string>> =>
  Object.fromEntries(
    mirrorsOf([rule], undefined, Object.keys(users)).files.map(({ folder, text }) => [
      `${folder}/hosts.toml`,
      text.replaceAll(/Basic <<([^>]+)>>/g, (_, host: string) => basic(host)),
    ]),
  );

/** Pulls, and lists what each host was shown: "a.example Authorization: Basic …". */
async function shownTo(
  containerd: Containerd,
  name: string,
  rule: typeof allowed,
  registries: Readonly<Record<string, Registry>>,
) {
  const { ok, requests } = await containerd.pull({
    files: filesFor(rule),
    registries: { "src.example": "up", "cdn.example": { cdn: true }, "auth.example": { token: true }, ...registries },
    ref: "src.example/team/app:v1",
    salt: `credentials ${name}`,
  });
  const shown = requests.map(([, url, , carried]) => [new URL(url).host, ...(carried?.auth ?? [])].join(" "));
  return { ok, shown: [...new Set(shown)].toSorted() };
}

const own = (host: string): string => `${host} Authorization: ${basic(host)}`;
const privately = (host: string): Registry => ({ basic: users[host] ?? "" });

describeEach(hosts, ({ version, containerd }) => {
  test("a mirror is shown its own credential, and the next one and the source are not", async () => {
    const both = { "a.example": 404, "b.example": 404 } as const;
    expect(await shownTo(containerd(), "fallback", allowed, both)).toEqual({
      ok: true,
      shown: [own("a.example"), own("b.example"), "src.example"],
    });
    expect(await shownTo(containerd(), "first", allowed, { "a.example": privately("a.example") })).toEqual({
      ok: true,
      shown: [own("a.example")],
    });
  });

  test("the mirror that takes the source's place is shown its own credential, which stands at the root", async () => {
    const registries = { "a.example": 404, "b.example": privately("b.example") } as const;
    expect(await shownTo(containerd(), "server", never(allowed), registries)).toEqual({
      ok: true,
      shown: [own("a.example"), own("b.example")],
    });
  });

  test("the only mirror of a forbidden source is shown its credential", async () => {
    const only = never(byTag("src.example", ["b.example"]));
    expect(await shownTo(containerd(), "only", only, { "b.example": privately("b.example") })).toEqual({
      ok: true,
      shown: [own("b.example")],
    });
  });

  test.each(["a.example", "b.example"])("a redirection by %s takes no credential to another host", async (host) => {
    const registries = { "a.example": 404, [host]: { redirect: "https://cdn.example" } } as const;
    const { ok, shown } = await shownTo(containerd(), `redirect by ${host}`, never(allowed), registries);
    expect(ok).toBe(true);
    expect(shown).toContain(own(host));
    expect(shown).toContain("cdn.example");
    expect(shown.filter((one) => one.startsWith("cdn.example "))).toEqual([]);
  });

  test("a mirror whose credential is wrong is shown nothing else, and the source nothing", async () => {
    const registries = { "a.example": { basic: "a:other" }, "b.example": 404 } as const;
    expect(await shownTo(containerd(), "wrong", allowed, registries)).toEqual({
      ok: true,
      shown: [own("a.example"), own("b.example"), "src.example"],
    });
    const forbidden = { "a.example": { basic: "a:other" }, "b.example": { basic: "b:other" } } as const;
    expect(await shownTo(containerd(), "both wrong", never(allowed), forbidden)).toEqual({
      ok: false,
      shown: [own("a.example"), own("b.example")],
    });
  });

  test("the token service that a mirror names is shown its credential by containerd 2 alone", async () => {
    const tokens = version.startsWith("1.") ? "auth.example" : `auth.example Authorization: ${basic("a.example")}`;
    const registries = { "a.example": { bearer: "https://auth.example/token" } } as const;
    expect(await shownTo(containerd(), "tokens", allowed, registries)).toEqual({
      ok: true,
      shown: [own("a.example"), "a.example Authorization: Bearer tok", tokens],
    });
  });
});
