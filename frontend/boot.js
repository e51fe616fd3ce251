// Starts the app, and says so when it cannot start or has died. This stands outside the app:
// a panic leaves the WASM module unusable, so nothing inside it could tell the reader.
const { app, wasm } = document.querySelector("script[data-app]").dataset;
const at = (path) => new URL(path, document.baseURI);

function fail(reason) {
  document.getElementById("loading").hidden = true;
  document.getElementById("failure").hidden = false;
  const detail = document.getElementById("failure-detail");
  if (!detail.textContent) detail.textContent = String(reason?.message ?? reason);
}

document.getElementById("reload").addEventListener("click", () => location.reload());
// The app's panic hook reports the panic's message before the trap that follows says "unreachable".
addEventListener("tokencap-panic", (event) => fail(event.detail));
// Events without an error object are the browser's own notices, and other origins' scripts.
addEventListener("error", (event) => {
  if (event.error) fail(event.error);
  else if (event.target !== window) fail(event.target.src || event.target.href);
}, true);
addEventListener("unhandledrejection", (event) => fail(event.reason));
// A style sheet that failed before this script ran; scripts wait for style sheets to be settled.
for (const link of document.querySelectorAll("link[rel=stylesheet]")) {
  if (!link.sheet?.cssRules.length) fail(link.href);
}

try {
  const module = await import(at(app));
  await module.default({ module_or_path: at(wasm) });
  document.getElementById("loading").hidden = true;
} catch (error) {
  console.error(error);
  fail(error);
}
