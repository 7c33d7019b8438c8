// One preview plays at a time, and the address names what is searched for, so that it
// can be shared. Without this file previews are links.
const audio = new Audio();
const status = document.getElementById("preview-status");
let playing = null; // the link of the voice that is heard

const say = (text) => { if (status) status.textContent = text; };

function stop() {
  audio.pause();
  if (playing) {
    playing.textContent = "Play";
    playing.setAttribute("aria-label", `Play ${playing.dataset.name}`);
  }
  playing = null;
}

async function play(link) {
  stop();
  playing = link;
  link.textContent = "Stop";
  link.setAttribute("aria-label", `Stop ${link.dataset.name}`);
  audio.src = link.href;
  try {
    await audio.play();
  } catch (error) {
    if (playing !== link || error.name === "AbortError") return; // another one was begun
    stop();
    say(`The preview of ${link.dataset.name} could not be played.`);
  }
}

audio.addEventListener("ended", stop);

function dress(root) {
  for (const link of root.querySelectorAll("[data-preview]")) link.setAttribute("role", "button");
}
dress(document);

function toggle(link) {
  if (playing === link) stop();
  else play(link);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-preview]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  toggle(link);
});
document.addEventListener("keydown", (event) => {
  const link = event.target.closest("[data-preview]");
  if (!link || event.key !== " ") return;
  event.preventDefault();
  toggle(link);
});

// The labels are brought up to date in place. Replacing them would fold up the values that
// a person has unfolded, and lose what was chosen since the search was sent.
document.addEventListener("htmx:oobBeforeSwap", (event) => {
  const { target, fragment } = event.detail;
  if (target.id !== "facets") return;
  event.detail.shouldSwap = false;
  for (const select of target.querySelectorAll("select")) {
    const { value, selectedOptions: [current] } = select;
    const { options } = fragment.getElementById(select.id);
    const known = [...options].some((option) => option.value === value);
    select.replaceChildren(...options, ...(known ? [] : [current]));
    select.value = value;
  }
});

document.addEventListener("htmx:beforeSwap", (event) => {
  if (event.detail.target.id === "found") stop();
});
document.addEventListener("htmx:afterSwap", () => {
  const found = document.getElementById("found");
  if (!found) return;
  dress(found);
  history.replaceState(history.state, "", location.pathname + found.dataset.query);
});
