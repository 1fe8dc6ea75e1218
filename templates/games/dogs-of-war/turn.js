// Choosing in Dogs of War: soldiers, cards and spaces are taken up with a finger or a key, and what is
// picked in the fields of the page is written as an order by the service. What can be picked, and where
// a tracker would stand, is listed on the page; nothing of the rules is here.
"use strict";

(() => {
  const root = document.getElementById("dogs-of-war");
  if (!root) return;
  const { form, field, words, fill } = turn;
  const { phase, seat } = root.dataset;
  const table = document.querySelector(".war");
  const fields = table?.querySelector(".fields");
  const boards = [...(table?.querySelectorAll("svg.dogs-board") ?? [])];
  const picks = [...root.querySelectorAll('[name^="pick-"]')];
  const isPicked = (one) => Boolean(one.type === "number" ? +one.value : one.checked && one.value);
  const of = (name) => picks.filter((one) => one.name === `pick-${name}`);
  const picked = (name) => of(name).find((one) => one.checked);
  const svg = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let waiting;
  let show = () => {};
  // whether what is picked can be an order
  let whole = () => picks.some(isPicked);

  root.classList.add("touch");
  table?.classList.add("touch");

  // --- one battle at a time, where there is no room for all ---

  const tabs = [...(table?.querySelectorAll(".tabs a") ?? [])];
  const shown = (tab) => document.getElementById(tab.hash.slice(1));
  function atNow() {
    const middle = fields.getBoundingClientRect().left + fields.clientWidth / 2;
    const at = tabs.findIndex((tab) => shown(tab).getBoundingClientRect().right > middle);
    for (const [number, tab] of tabs.entries())
      if (number === at) tab.setAttribute("aria-current", "true");
      else tab.removeAttribute("aria-current");
    root.dataset.at = at;
  }
  function turnTo(number) {
    const one = tabs[number] && shown(tabs[number]);
    if (one) fields.scrollTo({ left: one.offsetLeft - fields.firstElementChild.offsetLeft });
  }
  for (const [number, tab] of tabs.entries())
    tab.addEventListener("click", (event) => {
      event.preventDefault();
      turnTo(number);
    });
  if (tabs.length) {
    fields.addEventListener("scroll", atNow, { passive: true });
    atNow();
  }
  // who may leave a battle sees that one first
  const lost = root.querySelector('[name="pick-leave"]')?.value;
  const houses = (tab) => shown(tab).querySelector("[data-houses]")?.dataset.houses ?? "";
  turnTo(tabs.findIndex((tab) => houses(tab).toLowerCase().split(" ").includes(lost)));

  // --- the ghosts: where a tracker would stand, and a captain ---

  const where = (board, value) => {
    const [first, second] = board.dataset.houses.split(" ");
    return value ? `${value < 0 ? first : second} ${Math.abs(value)}` : words.centre;
  };
  function went(board, after) {
    const before = +board.dataset.tracker;
    if (before === after) return words.stays;
    const same = before * after > 0 ? Math.abs(after) : where(board, after);
    return fill(words.went, { before: where(board, before), after: same });
  }
  function ghost(board, after) {
    const was = board.querySelector(".ghost text")?.textContent;
    board.querySelector(".ghost")?.remove();
    if (after === undefined || after === +board.dataset.tracker) return;
    const one = board.querySelector(".tracker").cloneNode(true);
    const edge = +board.dataset.edge;
    const at = Math.min(edge, Math.max(-edge, after * +board.dataset.cell));
    one.setAttribute("class", "ghost");
    one.setAttribute("transform", `translate(${at} 0)`);
    one.querySelector("text").textContent = Math.abs(after);
    board.querySelector(".tracker").after(one);
    const from = Math.min(edge, Math.max(-edge, +board.dataset.tracker * +board.dataset.cell));
    if (still.matches || was === `${Math.abs(after)}`) return;
    one.animate([{ transform: `translate(${from}px)` }, { transform: `translate(${at}px)` }], 250);
  }

  // --- what is picked becomes an order ---

  // what was picked, as the service writes it; nothing while it is not an order yet
  async function write() {
    const said = await turn.preview();
    if (!said) return;
    turn.write(said.order ?? "");
    turn.ready(Boolean(said.order));
  }
  function changed() {
    turn.forget();
    turn.write("");
    clearTimeout(waiting);
    turn.ready(whole());
    if (whole()) waiting = setTimeout(write, 150);
    show();
  }
  root.addEventListener("input", changed);
  // an order that is written by hand stands alone
  field.addEventListener("input", () => {
    turn.forget();
    clearTimeout(waiting);
    for (const one of picks)
      if (one.type === "number") one.value = "";
      else one.checked = false;
    show();
    if (field.value) turn.say("", words.ready);
    turn.ready(Boolean(field.value));
  });
  // of an order and the parts that it was made of, only the parts are sent
  form.addEventListener("formdata", ({ formData }) => {
    if (picks.some(isPicked)) formData.delete("order");
  });
  // what is taken up and touched again is put down
  for (const one of picks.filter(({ type }) => type === "radio")) {
    let was = false;
    const label = one.closest("label");
    label.addEventListener("pointerdown", () => {
      was = one.checked;
    });
    one.addEventListener("click", () => {
      if (!was) return;
      was = false;
      one.checked = false;
      changed();
    });
  }

  // --- a thing to choose, in words: a dog of war, a player, a house ---

  function showThing() {
    const chosen = picks.filter(isPicked);
    const text = (one, part) => one.closest("label").querySelector(part)?.textContent.trim() ?? "";
    if (chosen.length)
      turn.say(
        chosen.map((one) => text(one, "b")).join(", "),
        chosen.map((one) => text(one, ".quiet")).join(" "),
      );
    else turn.say(words.choose, words.how);
  }

  function showPushes() {
    for (const [number, board] of boards.entries()) {
      const after = picked(`push-${number + 1}`)?.dataset.tracker;
      ghost(board, after === undefined ? undefined : +after);
    }
    showThing();
  }

  // --- buying ---

  const costs = turn.values("costs");
  const wares = [...root.querySelectorAll(".ware")];
  const numbers = picks.filter(({ type }) => type === "number");
  const price = () => numbers.reduce((sum, one) => sum + costs.of[one.name] * +one.value, 0);
  const count = (input, by) => {
    input.value = Math.min(+input.max, Math.max(0, +input.value + by)) || "";
    for (const one of of("nothing")) one.checked = false;
    changed();
  };
  function showPurchase() {
    const cost = price();
    const { purse } = costs;
    const bought = numbers.filter(isPicked);
    for (const ware of wares) {
      const input = ware.querySelector("input");
      if (!input) continue;
      const dear = cost + costs.of[input.name] > purse || +input.value >= +input.max;
      ware.classList.toggle("cannot", dear);
      ware.classList.toggle("can", !dear);
      ware.classList.toggle("chosen", isPicked(input));
      ware.querySelector(".less").disabled = !isPicked(input);
    }
    if (picked("nothing")) turn.say(picked("nothing").closest("label").textContent.trim(), "");
    else if (bought.length)
      turn.say(
        bought
          .map((one) => `${one.value} × ${one.labels[0].querySelector("span").textContent}`)
          .join(", "),
        fill(cost > purse ? words.short : words.cost, { cost, purse, left: purse - cost }),
      );
    else turn.say(words.choose, words.how);
  }
  for (const ware of wares) {
    const input = ware.querySelector("input");
    if (!input) continue;
    const name = ware.querySelector(".card span").textContent;
    const less = document.createElement("button");
    less.type = "button";
    less.className = "less";
    less.innerHTML = turn.icon("less");
    less.setAttribute("aria-label", fill(words.fewer, { soldier: name }));
    less.addEventListener("click", () => count(input, -1));
    ware.append(less);
    ware.querySelector(".card").addEventListener("click", (event) => {
      event.preventDefault();
      const cost = price() + costs.of[input.name];
      if (cost > costs.purse) turn.say(name, fill(words.short, { cost, purse: costs.purse }));
      else count(input, 1);
    });
  }
  for (const one of of("nothing"))
    one.addEventListener("change", () => {
      if (one.checked) for (const other of numbers) other.value = "";
    });

  // --- an action: a soldier, a space, a card if any ---

  const spots = turn.values("spots");
  const ends = Object.values(turn.values("ends"));
  const spaces = boards.flatMap((board) => [...board.querySelectorAll(".space")]);
  const placeOf = (space) => space.dataset.place;
  const waysTo = (place) => Object.keys(spots).filter((way) => spots[way].place === place);
  // what a card does, as it says itself
  const doing = (one) => one.closest("label").querySelector("small").textContent.trim();
  const named = (one) => capital(one?.dataset.name ?? "");
  const dim = (one, can) => {
    one.closest("label").classList.toggle("cannot", !can);
    if (can) one.removeAttribute("aria-disabled");
    else one.setAttribute("aria-disabled", "true");
  };
  // the space whose copy is being chosen
  let copying = "";

  // what the soldier and the card in hand can do; without a soldier, what any of them can
  function possible(soldier = picked("soldier")?.value, card = picked("card")?.value ?? "") {
    return ends.filter((end) => (!soldier || end[1] === soldier) && end[2] === card);
  }
  const open = (now, place) =>
    waysTo(place).filter((way) => now.some((end) => end[4].includes(way)));
  function standsAfter(now, way) {
    const end = now.find((one) => one[4].includes(way));
    return end[5][way] ?? end[3];
  }
  function whyNot(place) {
    const ways = waysTo(place).map((way) => spots[way]);
    const soldier = picked("soldier");
    const found = ways.map((way) => way.why || way.notes).find(Boolean);
    return found || (soldier ? fill(words.nothing_so, { soldier: soldier.dataset.name }) : "");
  }
  // the spaces that can be copied: those listed, and others that bring the same
  function copied(now, place) {
    const ways = open(now, copying);
    const [mine, here] = [spots[ways[0]], spots[place]];
    const board = spaces.find((one) => placeOf(one) === mine.place).closest("svg");
    const opposite = [...board.querySelectorAll(".space")].map(placeOf);
    if (!here || !opposite.includes(place) || here.house === mine.house) return undefined;
    const number = +place.split(" ").at(-1);
    const same = ways.find((way) => spots[way].brings === here.brings);
    return ways.find((way) => spots[way].copied === number) ?? (here.why ? undefined : same);
  }

  function take(space) {
    const place = placeOf(space);
    const now = possible();
    if (copying && copying !== place) {
      const way = copied(now, place);
      if (way) return choose(way);
    }
    const ways = open(now, place);
    copying = "";
    if (!ways.length) {
      show();
      return turn.say(nameOf(place), whyNot(place));
    }
    if (ways.length > 1) {
      for (const one of of("place")) one.checked = false;
      copying = place;
      return changed();
    }
    choose(ways[0]);
  }
  const nameOf = (place) => nameOfWay(waysTo(place)[0]);
  const nameOfWay = (way) => `${spots[way].name} ${spots[way].space}`;

  function choose(way) {
    copying = "";
    const radio = of("place").find((one) => one.value === way);
    const again = radio.checked;
    for (const one of of("place")) one.checked = false;
    radio.checked = !again;
    for (const one of of("pass")) one.checked = false;
    if (!picked("soldier")) {
      const able = new Set(
        possible()
          .filter((end) => end[4].includes(way))
          .map((end) => end[1]),
      );
      if (able.size === 1) of("soldier").find((one) => able.has(one.value)).checked = true;
    }
    changed();
  }

  // a soldier that only a card brings takes that card with it; what does not go together is put down
  function together(target) {
    const name = target?.name;
    if (name === "pick-pass" && target.checked) {
      for (const one of picks) if (one !== target && one.type === "radio") one.checked = false;
      copying = "";
      return;
    }
    for (const one of of("pass")) one.checked = false;
    const soldier = picked("soldier")?.value;
    if (soldier && !possible().length) {
      if (name === "pick-card") {
        const card = picked("card");
        card.checked = false;
        show();
        turn.say(named(card), fill(words.nothing_so, { soldier: picked("soldier").dataset.name }));
        return true;
      }
      const cards = [...new Set(ends.filter((end) => end[1] === soldier).map((end) => end[2]))];
      for (const one of of("card")) one.checked = one.value !== "" && one.value === cards[0];
    }
    const place = picked("place");
    if (place && !possible().some((end) => end[4].includes(place.value))) place.checked = false;
    if (copying && !open(possible(), copying).length) copying = "";
  }

  // a captain of mine, as the page draws it
  function captain() {
    const one = svg("g", { class: "me", transform: "translate(17 34) scale(0.78)" });
    const own = `${table.dataset.prefix}-captain-${seat}`;
    one.append(svg("use", { href: `#${own}`, x: -18, y: -18, width: 36, height: 39 }));
    return one;
  }

  function light(space, now) {
    const place = placeOf(space);
    const chosen = picked("place")?.dataset.place ?? copying;
    const ways = open(now, place);
    const target = copying && copying !== place;
    const can = !picked("pass") && (target ? Boolean(copied(now, place)) : ways.length > 0);
    const taken = space.classList.contains("taken");
    space.classList.toggle("can", can && place !== chosen);
    space.classList.toggle("chosen", place === chosen);
    space.classList.toggle("cannot", !can && !taken && place !== chosen);
    if (taken && !waysTo(place).length) return;
    space.setAttribute("role", "button");
    space.setAttribute("aria-pressed", place === chosen);
    if (can) space.removeAttribute("aria-disabled");
    else space.setAttribute("aria-disabled", "true");
    space.setAttribute("tabindex", can || place === chosen ? 0 : -1);
    space.dataset.choice = waysTo(place)[0] ?? place;
    space.querySelector(".me")?.remove();
    if (place === chosen && !copying && picked("soldier")) space.append(captain());
  }

  function showAction() {
    const [soldier, way, card, pass] = ["soldier", "place", "card", "pass"].map(picked);
    const now = possible();
    for (const space of spaces) light(space, now);
    for (const one of of("soldier")) {
      const able = ends.some(
        (end) =>
          end[1] === one.value &&
          end[2] === (card?.value ?? "") &&
          (!way || end[4].includes(way.value)),
      );
      dim(one, able);
      one.closest("label").classList.toggle("can", able && !soldier);
    }
    for (const one of of("card")) {
      const able = ends.some(
        (end) => end[2] === one.value && (!soldier || end[1] === soldier.value),
      );
      dim(one, able);
    }
    const board = way && spaces.find((one) => placeOf(one) === way.dataset.place).closest("svg");
    const stands = soldier && way ? standsAfter(now, way.value) : undefined;
    for (const one of boards) ghost(one, one === board ? stands : undefined);
    if (pass) turn.say(pass.closest("label").querySelector("b").textContent, doing(pass));
    else if (copying)
      turn.say(
        fill(words.copies, { place: nameOf(copying) }),
        fill(words.copied, { house: otherHouse(copying) }),
      );
    else if (soldier && way) {
      const { brings } = spots[way.value];
      const said = fill(words.to, { soldier: named(soldier), place: nameOfWay(way.value) });
      const played = card?.value ? [fill(words.with, { card: card.dataset.name })] : [];
      turn.say(said, [went(board, stands), brings, ...played].join(" · "));
    } else if (way)
      turn.say(fill(words.which, { place: nameOfWay(way.value) }), spots[way.value].brings);
    else if (card?.value) turn.say(named(card), doing(card));
    else if (soldier) turn.say(fill(words.where, { soldier: named(soldier) }), words.how);
    else turn.say(words.choose, words.how);
  }
  function otherHouse(place) {
    const board = spaces.find((one) => placeOf(one) === place).closest("svg");
    const mine = spots[waysTo(place)[0]].name;
    return board.dataset.houses.split(" ").find((house) => house !== mine);
  }

  if (phase === "action") {
    whole = () => Boolean(picked("pass") || (picked("soldier") && picked("place")));
    root.addEventListener(
      "input",
      (event) => {
        if (together(event.target)) event.stopImmediatePropagation();
      },
      { capture: true },
    );
    for (const space of spaces) {
      space.addEventListener("click", () => take(space));
      space.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        take(space);
      });
    }
  }

  // what was chosen before the preview is in sight
  const before = picked("place")?.dataset.place;
  turnTo(boards.findIndex((board) => board.querySelector(`[data-place="${before}"]`)));

  show = { action: showAction, mustering: showPurchase, conqueror: showPushes }[phase] ?? showThing;
  if (picks.some(isPicked) && !field.value) changed();
  else {
    show();
    turn.ready(whole() || Boolean(field.value));
  }
})();
