import { wordsOf as inWords } from "../lambdas/steps/client-errors.ts";
import { connect } from "./connect/connect.ts";

// `npm run connect`, `npm run doctor`: exit code 2 if the task could not be done.
try {
  const { text, code } = await connect(process.argv.slice(2), process.env);
  process.stdout.write(text);
  process.exitCode = code;
} catch (error) {
  console.error(`casement: ${inWords(error)}`);
  process.exitCode = 2;
}
