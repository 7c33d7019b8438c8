async () => {
  const { violations } = await axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    resultTypes: ["violations"],
  });
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ` + nodes.slice(0, 3).map((n) => `${n.html} ${n.any.map((c) => c.message).join("; ")}`).join(" | "));
}
