// What every page of the console does: buttons that copy.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  const text = source.value ?? source.textContent;
  const before = button.dataset.text ?? (button.dataset.text = button.textContent);
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    const range = document.createRange();
    range.selectNodeContents(source);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    button.textContent = "Press Ctrl+C";
  }
  setTimeout(() => { button.textContent = before; }, 2000);
});

// Browsers that cannot show what a closed menu holds open it where there is room.
if (!CSS.supports("selector(::details-content)") && matchMedia("(min-width: 60rem)").matches) {
  document.querySelector(".side .menu")?.setAttribute("open", "");
}

// A form is sent once, however often somebody clicks, and can be sent again when they
// come back to it.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post") return;
  for (const button of event.target.querySelectorAll("button:not([type=button])")) {
    setTimeout(() => { button.disabled = true; }); // its own name and value go along
  }
});
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  for (const button of document.querySelectorAll("form button:disabled")) button.disabled = false;
});

// What is wrong is where one can mend it.
document.querySelector("[aria-invalid=true]")?.focus();
