// Starts the app, and says so when it cannot start or has died. This stands outside the app:
// a panic leaves the WASM module unusable, so nothing inside it could tell the reader.
const { app, wasm, worker } = document.querySelector("script[data-app]").dataset;
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

// What the page needs only now and then is asked of a worker, which starts with the first question.
let bench;
const questions = new Map();
let asked = 0;
globalThis.tokencapAsk = (name, args) => new Promise((resolve, reject) => {
  bench ??= startBench();
  questions.set(++asked, { resolve, reject });
  bench.postMessage([asked, name, args]);
});
function startBench() {
  const started = new Worker(at(worker), { type: "module" });
  const die = (message) => {
    started.terminate();
    // The next question starts another one, which knows nothing yet.
    if (bench === started) bench = undefined;
    for (const { reject } of questions.values()) reject(message);
    questions.clear();
  };
  started.onmessage = ({ data: [id, error, answer, dead] }) => {
    const question = questions.get(id);
    questions.delete(id);
    if (error === null) question?.resolve(answer);
    else question?.reject(error);
    if (dead) die(error);
  };
  started.onerror = (event) => die(event.message || "the worker could not be loaded");
  return started;
}
// What a form's fields say, as a query; and the file of keys that was chosen in it.
globalThis.tokencapQuery = ({ target }) => {
  if (target.form && target.type !== "file") return String(new URLSearchParams(new FormData(target.form)));
};
globalThis.tokencapKeys = ({ target }) => target.files?.[0];
// Gives the reader a file.
globalThis.tokencapSave = (name, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text]));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};
// Puts markup into an element and leaves the keyboard's focus where it was.
globalThis.tokencapShow = (element, markup) => {
  const { id, selectionStart } = element.contains(document.activeElement) ? document.activeElement : {};
  element.innerHTML = markup;
  const again = id && document.getElementById(id);
  again?.focus({ preventScroll: true });
  if (again && typeof selectionStart === "number") again.setSelectionRange(selectionStart, selectionStart);
};
// Shows what the server says is being measured, for as long as the element is there. One connection
// at most: a browser opens only a few to one server, and a quiet one would stay open unseen.
let following;
globalThis.tokencapFollow = (element, lang) => {
  following?.close();
  const source = following = new EventSource(at("api/live"));
  const show = async (news) => {
    if (!element.isConnected) return source.close();
    try {
      tokencapShow(element, await tokencapAsk("live", [news, lang]));
    } catch (error) {
      element.textContent = error;
    }
  };
  source.onmessage = ({ data }) => show(data);
  source.onerror = () => show("");
};

try {
  const module = await import(at(app));
  await module.default({ module_or_path: at(wasm) });
  document.getElementById("loading").hidden = true;
} catch (error) {
  console.error(error);
  fail(error);
}
