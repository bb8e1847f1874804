// Loads all of lambdas/ before the first test. A journey loads it inside a test, which would then be judged alone by code
// that runs only while a module loads: a table of words, a function at the top of a file.
import { loadHandlers } from "../../bin/handlers.ts";

await loadHandlers();
