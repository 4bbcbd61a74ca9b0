// The book in the browser: films that begin to live where they come into view, predictions that uncover what they are about, and
// the theme of the page for both. Nothing is fetched from elsewhere, and all of it works from disk.

const root = document.documentElement.dataset.content_root || "./";
const places = new Map(); // the name of a film -> where it is to live

const load = (file) =>
  new Promise((done, failed) => document.head.append(Object.assign(document.createElement("script"), { src: `${root}_static/${file}`, onload: done, onerror: failed })));
let frontEnd;
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false; // it would have to read other pages

function film(name, state) {
  for (const place of places.get(name) ?? []) {
    place.replaceChildren();
    showFilm(state, place);
    place.classList.add("alive");
  }
}

async function wake(place) {
  const name = place.dataset.film;
  await (frontEnd ??= load("inspector.js"));
  places.set(name, [place]);
  await load(`films/${name}.js`);
}

function watchFilms() {
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        wake(target);
      }
    },
    { rootMargin: "600px" },
  );
  for (const place of document.querySelectorAll(".film-place")) seen.observe(place);
}

// ---- the theme: films know that of JupyterLab --------------------------------------------------------------------------

function follow() {
  const { theme } = document.body.dataset;
  if (theme === "light" || theme === "dark") document.body.dataset.jpThemeLight = String(theme === "light");
  else delete document.body.dataset.jpThemeLight;
}

// ---- predictions -------------------------------------------------------------------------------------------------------

const memory = {
  get(key) { try { return localStorage.getItem(`minigrad ${key}`); } catch { return null; } },
  set(key, value) { try { value === null ? localStorage.removeItem(`minigrad ${key}`) : localStorage.setItem(`minigrad ${key}`, value); } catch { /* from disk some browsers keep nothing */ } },
};

function prediction(box) {
  const said = box.querySelector("output");
  const { exercise } = box.dataset;
  const choose = (answer) => {
    memory.set(exercise, answer);
    box.classList.toggle("chosen", answer !== null);
    said.textContent = answer === null ? "" : `You ${answer ? `predicted ${answer}` : "left it open"}; ${box.dataset.cameOut || "read on."}`;
    for (const button of box.querySelectorAll("button[value]")) button.setAttribute("aria-pressed", String(button.value === answer));
  };
  for (const button of box.querySelectorAll("button[value]")) button.addEventListener("click", () => choose(button.value));
  box.querySelector(".again").addEventListener("click", () => (choose(null), box.querySelector("button").focus()));
  box.uncover = () => box.classList.contains("chosen") || choose("");
  choose(memory.get(exercise));
}

// A link may lead to what a prediction hides.
function uncover() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target || target.checkVisibility()) return;
  for (const box of document.querySelectorAll(".prediction"))
    if (box.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_FOLLOWING && box.parentElement.contains(target)) box.uncover();
  target.scrollIntoView();
}

// What is wider than its place can be scrolled with keys as well.
const scrolled = new ResizeObserver((entries) => {
  for (const { target } of entries) target.scrollWidth > target.clientWidth ? (target.tabIndex = 0) : target.removeAttribute("tabindex");
});

document.addEventListener("DOMContentLoaded", () => {
  follow();
  new MutationObserver(follow).observe(document.body, { attributeFilter: ["data-theme"] });
  document.querySelectorAll(".prediction").forEach(prediction);
  document.querySelectorAll("pre, .table-wrapper").forEach((one) => scrolled.observe(one));
  uncover();
  addEventListener("hashchange", uncover);
  watchFilms();
});
