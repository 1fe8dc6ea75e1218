// Choosing in Dogs of War: the fields of the page end in the one field `order`; spaces are chosen on
// the board as well; cost and tracker are told while one chooses. No rule is known here: what can be
// chosen and where the tracker would stand is on the page already.
"use strict";

(() => {
  const root = document.getElementById("dogs-of-war");
  const field = document.getElementById("order");
  const form = document.getElementById("move");
  if (!root || !field || !form) return;
  const say = root.dataset;
  const live = root.querySelector(".live");
  const svg = document.querySelector("svg.dogs-board");
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const picks = () => [...root.querySelectorAll('[name^="pick-"]')];
  const chosen = (name) => [...root.querySelectorAll(`[name="pick-${name}"]:checked`)].map((one) => one.value);
  const plural = { "footman": "footmen", "arquebuser": "arquebusers", "knight": "knights", "war machine": "war machines" };

  // the words of the notation, in the order in which the service puts them
  function order() {
    const parts = [...chosen("dog").map((dog) => `play ${dog}`), ...chosen("first"), ...chosen("pass")];
    const card = chosen("card")[0];
    if (card) parts.push(card.toLowerCase(), "+");
    parts.push(...chosen("soldier"), ...chosen("place"));
    const bought = [...root.querySelectorAll("input[type=number]")].reverse()
      .filter((one) => Number(one.value) > 0)
      .map((one) => {
        const kind = one.name.slice(5).replace("_", " ");
        return `${one.value} ${one.value === "1" ? kind : plural[kind]}`;
      });
    const nothing = chosen("nothing");
    if (bought.length || nothing.length) parts.push(`buy ${[bought.join(", "), ...nothing].join(" ").trim()}`);
    const pushed = [1, 2, 3].flatMap((number) => chosen(`push-${number}`));
    if (pushed.length) parts.push("push", ...pushed);
    const left = chosen("leave");
    if (left.length) parts.push("withdraw", ...left);
    return parts.join(" ");
  }

  const place = (value) => {
    const front = [...root.querySelectorAll(".fronts data")].map((one) => one.value.split("|")).find((pair) => pair.includes(value.house));
    if (value.tracker === 0) return say.sayCentre;
    const house = front[value.tracker > 0 ? 1 : 0];
    return `${Math.abs(value.tracker)} (${house[0].toUpperCase()}${house.slice(1)})`;
  };

  function tell() {
    if (!live) return;
    live.classList.remove("short");
    if (say.phase === "mustering") {
      const purse = Number(root.querySelector("[data-purse]").dataset.purse);
      const cost = [...root.querySelectorAll("input[data-cost]")].reduce((sum, one) => sum + one.dataset.cost * (Number(one.value) || 0), 0);
      live.classList.toggle("short", cost > purse);
      live.textContent = fill(cost > purse ? say.sayShort : say.sayCost, { cost, purse, left: purse - cost });
      return;
    }
    const soldier = root.querySelector('[name="pick-soldier"]:checked');
    const spot = root.querySelector('[name="pick-place"]:checked');
    live.textContent = "";
    if (!soldier || !spot) return;
    const house = spot.value.split(" ")[0];
    const key = `${house}|${soldier.dataset.soldier}|${chosen("card")[0] ?? ""}`;
    const end = [...root.querySelectorAll(".ends data")].find((one) => one.value === key);
    if (end) live.textContent = fill(say.sayFrom, { place: place({ house, tracker: Number(end.textContent) }) });
  }

  function mark() {
    if (!svg) return;
    const at = root.querySelector('[name="pick-place"]:checked')?.dataset.place;
    for (const one of svg.querySelectorAll(".space")) one.classList.toggle("chosen", one.dataset.place === at);
  }

  function changed() {
    field.value = order();
    tell();
    mark();
  }

  root.addEventListener("input", changed);
  field.addEventListener("input", () => {
    for (const one of picks()) {
      if (one.type === "number") one.value = "";
      else one.checked = false;
    }
    tell();
    mark();
  });
  // with a script only the one field is sent
  form.addEventListener("formdata", (event) => {
    for (const name of [...event.formData.keys()]) if (name.startsWith("pick-")) event.formData.delete(name);
  });

  for (const one of svg ? svg.querySelectorAll(".space") : []) {
    const radios = [...root.querySelectorAll(`[data-place="${one.dataset.place}"]`)];
    if (!radios.length) continue;
    one.classList.add("can");
    one.addEventListener("click", () => {
      radios[0].closest("details").open = true;
      if (radios.length === 1) radios[0].checked = true;
      radios[0].focus();
      changed();
    });
  }
  if (picks().some((one) => one.checked || one.value && one.type === "number") && !field.value) changed();
  tell();
})();
