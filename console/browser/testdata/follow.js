(() => {
  const followed = (window.followed = { glances: [], done: false });
  const frame = () => {
    const words = [...document.querySelectorAll("#said [data-at]")];
    const now = document.getElementById("heard").value;
    const on = words.findIndex((w) => w.classList.contains("on"));
    const sounds = !document.getElementById("stop").hidden;
    if (sounds && now > 0) followed.glances.push({ Now: now, On: on });
    if (!sounds && followed.glances.length > 0) followed.done = true;
    else requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  return true;
})()
