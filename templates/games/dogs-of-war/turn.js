// Choosing in Dogs of War: what is picked in the fields of the page, or on the board, is written as an
// order by the service, and shown in the field `order`. Costs, and where a tracker would stand, are
// listed on the page.
"use strict";

(() => {
  const root = document.getElementById("dogs-of-war");
  if (!root) return;
  const { form, field, words, fill } = turn;
  const costs = turn.values("costs");
  const trackers = turn.values("trackers");
  const live = root.querySelector(".live");
  const svg = document.querySelector("svg.dogs-board");
  const picks = [...root.querySelectorAll('[name^="pick-"]')];
  const isPicked = (one) => Boolean(one.type === "number" ? one.value : one.checked && one.value);
  const picked = (name) => root.querySelector(`[name="pick-${name}"]:checked`);
  let waiting;

  function tell() {
    if (!live) return;
    let said = "";
    if (costs.of) {
      const { purse } = costs;
      const cost = picks.reduce(
        (sum, one) => sum + (costs.of[one.name] ?? 0) * Number(one.value || 0),
        0,
      );
      live.classList.toggle("short", cost > purse);
      said = fill(cost > purse ? words.short : words.cost, { cost, purse, left: purse - cost });
    } else {
      const [soldier, place, card] = ["soldier", "place", "card"].map(picked);
      said = trackers[`${place?.dataset.house}|${soldier?.value}|${card?.value ?? ""}`] ?? "";
    }
    live.textContent = said;
  }

  function mark() {
    const place = picked("place")?.dataset.place;
    for (const one of svg?.querySelectorAll(".space") ?? [])
      one.classList.toggle("chosen", one.dataset.place === place);
  }

  // what was picked, as the service writes it; nothing while it is not an order yet
  async function write() {
    const said = await turn.preview();
    if (said) turn.write(said.order ?? "");
  }

  function changed() {
    turn.forget();
    turn.write("");
    clearTimeout(waiting);
    if (picks.some(isPicked)) waiting = setTimeout(write, 150);
    tell();
    mark();
  }

  root.addEventListener("input", changed);
  // an order that is written by hand stands alone
  field.addEventListener("input", () => {
    turn.forget();
    clearTimeout(waiting);
    for (const one of picks) {
      if (one.type === "number") one.value = "";
      else one.checked = false;
    }
    tell();
    mark();
  });
  // of an order and the parts that it was made of, only the parts are sent
  form.addEventListener("formdata", ({ formData }) => {
    if (picks.some(isPicked)) formData.delete("order");
  });

  for (const one of svg?.querySelectorAll(".space") ?? []) {
    const ways = picks.filter((pick) => pick.dataset.place === one.dataset.place);
    if (!ways.length) continue;
    one.classList.add("can");
    one.addEventListener("click", () => {
      ways[0].closest("details").open = true;
      if (ways.length === 1) ways[0].checked = true;
      ways[0].focus();
      changed();
    });
  }
  if (picks.some(isPicked) && !field.value) changed();
  tell();
})();
