// Hands the description to the renderer.
const explorer = document.getElementById("explorer");

// What the renderer's own styles leave to wish: fields wider than a phone, and the
// text of the main button while the pointer is on it.
const fit = new CSSStyleSheet();
fit.replaceSync(`
  input, select, textarea { max-width: 100%; margin-left: 0; }
  .m-btn.primary:hover, .m-btn.primary:focus-visible { color: var(--primary-btn-text-color); }
`);

function adjust() {
  explorer.shadowRoot.adoptedStyleSheets.push(fit);
  customElements.get("api-request")?.elementStyles?.push(fit);
}

async function load() {
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new Error(`/openapi.json answered ${answer.status}`);
  const description = await answer.json();
  // Requests are tried at the server that showed the page, whatever name it has.
  description.servers = [{ url: location.origin }];
  adjust();
  await explorer.loadSpec(description);
}

function say(problem) {
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = `The description cannot be shown: ${problem.message}.`;
  explorer.replaceWith(note);
}

customElements.whenDefined("openapi-explorer").then(load).catch(say);
