// The programs are one below the other without scripts; here they are tabs.
let shown = "code-curl";

function tabs() {
  const sections = [...document.querySelectorAll("#reading section.code")];
  if (sections.length === 0) return;
  const list = document.createElement("div");
  list.className = "tabs";
  list.setAttribute("role", "tablist");
  list.setAttribute("aria-label", "Code");
  const choose = (id) => {
    shown = id;
    for (const tab of list.children) {
      const own = tab.getAttribute("aria-controls") === id;
      tab.setAttribute("aria-selected", String(own));
      tab.tabIndex = own ? 0 : -1;
    }
    for (const section of sections) section.hidden = section.id !== id;
  };
  for (const section of sections) {
    const tab = document.createElement("button");
    Object.assign(tab, { type: "button", id: `${section.id}-tab`, textContent: section.dataset.title });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", section.id);
    tab.addEventListener("click", () => choose(section.id));
    section.setAttribute("role", "tabpanel");
    section.setAttribute("aria-labelledby", tab.id);
    section.querySelector("h3").hidden = true;
    list.append(tab);
  }
  list.addEventListener("keydown", (event) => {
    const all = [...list.children];
    const at = all.indexOf(event.target);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const tab = all.at(to % all.length);
    tab.focus();
    tab.click();
  });
  sections[0].before(list);
  choose(shown);
}
tabs();
document.body.addEventListener("htmx:afterSwap", tabs);
