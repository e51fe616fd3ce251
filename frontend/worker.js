// Answers the page's questions by the workbench, away from the page's own thread.
import start, * as workbench from "./{{workbench}}";

const started = start({ module_or_path: new URL("./{{wasm}}", import.meta.url) });

addEventListener("message", async ({ data: [id, name, args] }) => {
  try {
    await started;
    postMessage([id, null, workbench[name](...args)]);
  } catch (error) {
    // A trap leaves the module unusable.
    const dead = error instanceof WebAssembly.RuntimeError;
    postMessage([id, String(error?.message ?? error), undefined, dead]);
  }
});
