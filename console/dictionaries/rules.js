// Rows of rules are added and removed in place, what is not saved is not lost by
// leaving, and a sentence is read again when a rule changes.
for (const table of document.querySelectorAll("[data-rules]")) {
  const form = table.closest("form");
  const body = table.tBodies[0];
  const isNew = (row) => row.querySelector("[name^='term.']") && !row.querySelector("[name^='at.']");
  const blank = [...body.rows].filter(isNew).pop()?.cloneNode(true);
  const number = (input) => Number(input.name.split(".")[1]);
  let changed = false;

  const add = () => {
    const row = blank.cloneNode(true);
    const next = Math.max(-1, ...[...body.querySelectorAll("[name^='term.']")].map(number)) + 1;
    for (const input of row.querySelectorAll("[name]")) {
      input.name = `${input.name.split(".")[0]}.${next}`;
      if (input.type === "checkbox") input.checked = input.name.startsWith("whole.");
      else input.value = "";
      input.removeAttribute("aria-invalid");
      input.removeAttribute("aria-describedby");
    }
    row.classList.remove("wrong");
    body.append(row);
    return row;
  };

  const button = form.querySelector("[data-add]");
  if (blank && button) {
    button.hidden = false;
    button.addEventListener("click", () => add().querySelector("[name^='term.']").focus());
  }

  form.addEventListener("change", (event) => {
    const gone = event.target.closest("[name^='gone.']");
    if (!gone) return;
    const row = gone.closest("tr");
    if (!isNew(row)) {
      row.classList.toggle("gone", gone.checked);
      return;
    }
    while (row.nextElementSibling?.matches("[data-why]")) row.nextElementSibling.remove();
    row.remove();
    (body.rows[body.rows.length - 1]?.querySelector("[name^='term.']") ?? button)?.focus();
  });

  if (!form.matches("[data-edit]")) continue;
  const sentence = form.querySelector("[name=sentence]");
  let waiting;
  form.addEventListener("input", (event) => {
    if (!event.target.closest("[data-rules]")) return;
    changed = true;
    clearTimeout(waiting);
    waiting = setTimeout(() => { if (sentence.value.trim()) htmx.trigger(sentence, "retry"); }, 400);
  });
  form.addEventListener("submit", () => { changed = false; });
  addEventListener("beforeunload", (event) => { if (changed) event.preventDefault(); });
}
