(() => {
  const followed = (window.followed = { glances: [], done: false });
  let last = performance.now();
  const frame = () => {
    const gap = performance.now() - last; // since the frame before
    last += gap;
    const words = [...document.querySelectorAll("#said [data-at]")];
    const now = document.getElementById("heard").value;
    const on = words.findIndex((w) => w.classList.contains("on"));
    const sounds = !document.getElementById("stop").hidden;
    if (sounds && now > 0) followed.glances.push({ Now: now, On: on, Gap: gap });
    if (!sounds && followed.glances.length > 0) followed.done = true;
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  return true;
})()
