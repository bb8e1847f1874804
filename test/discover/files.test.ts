import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { difference } from "../../bin/discover/difference.ts";
import { slackAppManifest } from "../../bin/discover/slack-app.ts";

const template = readFileSync("docs/slack-app-manifest.yaml", "utf8");
const address = "https://abc.lambda-url.us-west-2.on.aws/";

test("a manifest of the Slack app has the front door's address in both places, and everything else of the template", () => {
  const made = parse(slackAppManifest(template, { cluster: "prod-west", command: "/win", frontDoor: address }));
  const expected = parse(template.replaceAll("https://front-door.example.com/", address));
  expect(made).toEqual(expected);
});

test("an app with another command has another name, which Slack takes", () => {
  const cluster = "a-cluster-with-a-name-that-is-long";
  const made = parse(slackAppManifest(template, { cluster, command: "/win2", frontDoor: null }));
  expect(made.features.slash_commands[0].command).toBe("/win2");
  expect(made.features.bot_user.display_name).toBe(`casement-${cluster}`);
  expect(made.display_information.name).toHaveLength(35);
});

test("a difference shows changed lines with those beside them, and nothing for equal texts", () => {
  expect(difference("a\nb", "a\nb")).toBe("");
  expect(difference("a\nb\nc\nd\ne", "a\nb\nx\ny\nd\ne")).toBe("  …\n  b\n- c\n+ x\n+ y\n  d\n  …");
});
