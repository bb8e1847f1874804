import { registerHooks } from "node:module";

/** Loaded before aws-lambda-ric: its native file is another one here. */
registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier.endsWith("rapid-client.node")
      ? { url: new URL("native-client.ts", import.meta.url).href, format: "module-typescript", shortCircuit: true }
      : nextResolve(specifier, context),
});
