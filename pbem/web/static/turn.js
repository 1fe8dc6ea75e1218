// What the scripts of all games' turn pages share. It is loaded before the game's own `turn.js`,
// which finds it as `turn`. No rule and no notation is here: what can be chosen is on the page, and
// what an order is called and would do the service says.
"use strict";

window.turn = (() => {
  const form = document.getElementById("move");
  const field = document.getElementById("order");
  // what the page gives its script to say, by name
  const words = values("words");
  const radios = () => form.querySelectorAll('input[type="radio"][name="order"]');
  let asked = 0;

  // what stands in a block of JSON on the page, by its id; nothing where it has none
  function values(id) {
    const block = document.getElementById(id);
    return block ? JSON.parse(block.textContent) : {};
  }
  // a text with values in place of the names in braces
  function fill(text, given) {
    return text.replace(/\{(\w+)\}/g, (_, name) => given[name]);
  }

  // The list of orders and the text field share the name `order`: one of the two is sent.
  function emptyList() {
    for (const radio of radios()) radio.checked = false;
  }
  function write(order) {
    emptyList();
    field.value = order;
  }
  function choose(radio) {
    field.value = "";
    radio.checked = true;
  }
  form.addEventListener("change", ({ target }) => {
    if (target.type === "radio" && target.name === "order") choose(target);
  });
  field.addEventListener("input", emptyList);

  // What the chosen order would do, as the service says it: `{order, events, sentences, effect}`,
  // or `{problem}` with the sentence that refuses it. `fields` are those of the form, or others.
  // Null where the service does not answer, or where something else was asked or chosen meanwhile.
  async function preview(fields = new FormData(form)) {
    const mine = ++asked;
    try {
      const answer = await fetch(form.action, {
        method: "POST",
        headers: { Accept: "application/json" },
        body: new URLSearchParams(fields),
      });
      const said = await answer.json();
      if (mine !== asked) return null;
      return answer.ok ? said : { problem: said.error.message };
    } catch {
      return null;
    }
  }
  // --- the bar at the foot: what is chosen so far, and the button that goes on ---

  const said = document.getElementById("say");
  const button = document.getElementById("preview");
  // `title` says what is chosen, `detail` what it does or what to do next; both are plain text. They change
  // at once, so that a screen reader says the one and then the other. What stands there already is left
  // alone: it would be said again.
  function say(title, detail = "") {
    const now = standing();
    if (now[0] !== title || now[1] !== detail) put([title, detail]);
  }
  const standing = () => ["strong", "span"].map((name) => said.querySelector(name).textContent);
  // One thing comes and one goes: of two, Orca says the second first, and the whole of an atomic region
  // once for each.
  function put(texts) {
    const [both, ...parts] = ["bdi", "strong", "span"].map((name) => document.createElement(name));
    parts.forEach((part, at) => {
      part.textContent = texts[at];
    });
    both.append(...parts);
    said.replaceChildren(both);
  }
  // whether something whole is chosen; the button stays in the order of tabs, and says so
  function ready(whole) {
    button.setAttribute("aria-disabled", String(!whole));
  }
  button.addEventListener("click", (event) => {
    if (button.getAttribute("aria-disabled") !== "true" || field.value) return;
    event.preventDefault();
    // what is missing is said once more
    put(standing());
  });
  field.addEventListener("input", () => ready(field.value !== ""));

  // The browser's own Back leads to this page with what was chosen in its address, as the preview's Back does;
  // what is to be said stays out of it. Servers refuse addresses that are longer.
  form.addEventListener("submit", () => {
    const chosen = new FormData(form);
    for (const name of ["say", "say_to", "say_key"]) chosen.delete(name);
    const address = form.action.replace(/\/preview$/, `?${new URLSearchParams(chosen)}`);
    if (address.length <= form.dataset.mostAddress) history.replaceState(null, "", address);
  });

  // something else is chosen now: an answer that is still under way is about what was before
  function forget() {
    asked += 1;
  }

  // the drawing of an icon of the page
  const icon = (name) => `<svg class="icon" aria-hidden="true"><use href="#icon-${name}"/></svg>`;

  return { form, field, words, icon, values, fill, write, choose, preview, forget, say, ready };
})();
