(name) => {
  const words = (e) => (e.getAttribute("aria-label") ?? e.textContent).replace(/\s+/g, " ").trim();
  const all = [...document.querySelectorAll("button, summary, a[href], [role=tab], label:has(input)")]
    .filter((e) => !e.disabled && e.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }));
  const found = all.find((e) => words(e) === name);
  if (!found) return { X: 0, Y: 0, Names: all.map(words) };
  found.scrollIntoView({ block: "center", behavior: "instant" });
  const box = found.getBoundingClientRect();
  return { X: box.x + box.width / 2, Y: box.y + box.height / 2, Names: [] };
}
