import { globSync, readFileSync } from "node:fs";
import type { WebClient } from "@slack/web-api";
import { expect, expectTypeOf, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { formOf } from "../../lambdas/commands/form.ts";
import { commands } from "../../lambdas/commands/list.ts";
import { configurationSchema } from "../../lambdas/configuration/configuration.ts";
import { chatMethods } from "../../lib/sandbox/slack/methods/chat.ts";
import { conversationMethods } from "../../lib/sandbox/slack/methods/conversations.ts";
import { peopleMethods } from "../../lib/sandbox/slack/methods/people.ts";
import { appScopes, type Workspace } from "../../lib/sandbox/slack/workspace.ts";

/** Manifest as Slack's own package takes it: names and types of fields. */
type SlackManifest = Parameters<WebClient["apps"]["manifest"]["create"]>[0]["manifest"];

const https = z.url({ protocol: /^https$/ });

/** The fields that we use; lengths from the descriptions of @slack/web-api, types/request/manifest.d.ts. */
const manifestSchema = z.strictObject({
  _metadata: z.strictObject({ major_version: z.union([z.literal(1), z.literal(2)]) }),
  display_information: z.strictObject({
    name: z.string().max(35),
    description: z.string().max(140),
    background_color: z.string().regex(/^#[0-9a-f]{3}([0-9a-f]{3})?$/i),
  }),
  features: z.strictObject({
    bot_user: z.strictObject({
      display_name: z
        .string()
        .regex(/^[a-z0-9._-]+$/)
        .max(80),
      always_online: z.boolean(),
    }),
    slash_commands: z
      .array(
        z.strictObject({
          command: z.string().regex(/^\/.{1,31}$/),
          url: https,
          description: z.string().max(2_000),
          usage_hint: z.string().max(1_000),
          should_escape: z.boolean(),
        }),
      )
      .length(1),
  }),
  oauth_config: z.strictObject({ scopes: z.strictObject({ bot: z.array(z.enum(appScopes)) }) }),
  settings: z.strictObject({
    interactivity: z.strictObject({ is_enabled: z.literal(true), request_url: https }),
    org_deploy_enabled: z.literal(false),
    socket_mode_enabled: z.literal(false),
    token_rotation_enabled: z.literal(false),
  }),
});

const manifest = manifestSchema.parse(parse(readFileSync("docs/slack-app-manifest.yaml", "utf8")));
const [slash] = manifest.features.slash_commands;

test("has the shape of Slack's own type", () => {
  expectTypeOf(manifest).toExtend<SlackManifest>();
});

test("asks for exactly the scopes that the simulated Slack grants and enforces", () => {
  expect([...manifest.oauth_config.scopes.bot].sort()).toEqual([...appScopes].sort());
});

test("asks for no scope that no call of the code needs", () => {
  const nowhere = {} as Workspace; // only the table of methods is read, none of them runs
  const methods = { ...chatMethods(nowhere), ...conversationMethods(nowhere), ...peopleMethods(nowhere) };
  const code = globSync("lambdas/**/*.ts").map((path) => readFileSync(path, "utf8"));
  const called = Object.entries(methods).filter(([name]) =>
    code.some((text) => new RegExp(`\\b${name.replaceAll(".", "\\.")}\\b`).test(text)),
  );
  const needed = new Set(called.flatMap(([, { scope }]) => scope ?? []));
  expect([...needed, "commands"].sort()).toEqual([...manifest.oauth_config.scopes.bot].sort());
});

test("registers the command word that the configuration has by default", () => {
  expect(slash?.command).toBe(configurationSchema.shape.command.parse(undefined));
});

test("hints at commands as they are typed", () => {
  const forms = commands.map((command) => formOf({ ...command, options: [] }));
  for (const hint of slash?.usage_hint.split(" | ") ?? [])
    expect(forms.some((form) => form === hint || form.startsWith(`${hint} [`))).toBe(true);
});

test("escapes what people type, as the simulated Slack does", () => {
  expect(slash?.should_escape).toBe(true);
});

test("sends commands, buttons and dialogs to the one front door", () => {
  expect(manifest.settings.interactivity.request_url).toBe(slash?.url);
});
