// Choosing a move of Dog step by step: card, pawn, target, here or on the board. No rule is known
// here: the orders that the game listed are narrowed down, and the one that is left fills the field
// `order`. The steps are radio buttons of no form, so nothing but `order` is ever sent.
"use strict";

(() => {
  const root = document.getElementById("dog");
  const svg = document.querySelector("svg.board");
  if (!root) return;
  const { field, fill } = turn;
  const orders = root.dataset.orders.split("|").filter(Boolean).map(read);
  if (!orders.length || !["play", "exchange"].includes(root.dataset.stage)) return;
  if (orders.some((order) => order.card === "discard" || order.card === "help")) return;

  const say = root.dataset;
  const box = root.querySelector(".stepwise");
  const line = box.querySelector(".say");
  // who would go Home: it comes late, so its room is kept free and nothing moves when it is there
  const told = box.querySelector(".told");
  const options = box.querySelector(".options");
  const output = box.querySelector("output");
  const seat = say.seat;
  const gifts = say.stage === "exchange";
  // what has been chosen: a card, what a joker stands for, and pairs of places
  let chosen = { card: null, as: null, source: null, parts: [] };
  // fields whose pawns the parts chosen so far send Home
  let burnt = [];

  function read(text) {
    const words = text.split(" ");
    if (words[0] === "give") return { text, card: words[1], as: null, parts: words.slice(2) };
    const joker = words[0].startsWith("*");
    return {
      text,
      card: joker ? "*" : words[0],
      as: joker ? words[0].slice(1) : null,
      parts: words.slice(1),
    };
  }
  const source = (part) => (part === "out" ? "home" : part.split(/[-x]/)[0]);
  const target = (part) => part.split(/[-x]/)[1];
  const unique = (list) => [...new Set(list)];
  // places in the order of the board: Home, the ring, the End Zones
  const rank = (place) => (place === "home" ? -1 : /^[ep]/.test(place) ? 200 + parseInt(place, 36) : Number(place));
  const shown = (place) => (/^[ep]/.test(place) ? place.toUpperCase() : place);

  // the orders that still fit: those that have all chosen parts, in whatever order
  function fitting() {
    return orders.filter((order) => {
      if (order.card !== chosen.card) return false;
      if (order.as !== null && chosen.as !== null && order.as !== chosen.as) return false;
      const left = [...order.parts];
      return chosen.parts.every((part) => {
        const found = left.indexOf(part);
        if (found >= 0) left.splice(found, 1);
        return found >= 0;
      });
    });
  }
  const rest = (order) => {
    const left = [...order.parts];
    for (const part of chosen.parts) left.splice(left.indexOf(part), 1);
    return left;
  };

  // of those, what can be made now: not yet where an earlier part has to bring the pawn
  const now = (order) => rest(order).filter((part, at, left) => gifts || !left.slice(0, at).some((before) => target(before) === source(part)));

  // --- drawing the choices ---

  function group(name, list, onChoose, value) {
    const holder = document.createElement("div");
    holder.className = "group";
    holder.setAttribute("role", "radiogroup");
    holder.setAttribute("aria-label", name);
    for (const item of list) {
      const label = document.createElement("label");
      if (item.card) label.classList.add("as-card");
      if (item.cannot) label.classList.add("cannot");
      const input = document.createElement("input");
      input.type = "radio";
      input.name = `step-${options.childElementCount}`;
      input.setAttribute("form", "nowhere");
      input.value = item.value;
      input.checked = item.value === value;
      input.addEventListener("change", () => onChoose(item));
      label.append(input, item.text);
      holder.append(label);
    }
    options.append(holder);
    return holder;
  }

  function cards() {
    const list = unique([...root.querySelectorAll(".hand .card")].map((card) => card.textContent));
    return list.map((text) => {
      const card = text === "★" ? "*" : text;
      const why = root.querySelector(`[data-card="${card}"] .why-not`);
      const effect = root.querySelector(`[data-card="${card}"] .effect`);
      return {
        value: card,
        text,
        card: true,
        cannot: why && why.textContent.trim(),
        effect: effect ? effect.textContent.trim() : "",
      };
    });
  }

  function draw(from) {
    // groups before the one that was changed stay, and keep the keyboard's focus
    while (options.childElementCount > from) options.lastElementChild.remove();
    let step = from;
    if (step === 0) {
      group(say.sayCard, cards(), (item) => {
        undo();
        chosen = { card: item.value, as: null, source: null, parts: [], why: item.cannot, effect: item.effect };
        draw(1);
      }, chosen.card);
      step = 1;
    }
    clear();
    if (!chosen.card) return tell(say.sayCard);
    if (chosen.why) return tell(chosen.why);
    const fits = fitting();
    const ranks = unique(fits.map((order) => order.as)).filter((rank) => rank !== null);
    if (ranks.length && step === 1) {
      group(say.sayAs, ranks.map((rank) => ({ value: rank, text: rank, card: true })), (item) => {
        undo();
        chosen = { ...chosen, as: item.value, source: null, parts: [] };
        draw(2);
      }, chosen.as);
      if (chosen.as === null) return tell(`${chosen.effect ?? ""} ${say.sayAs}`.trim());
      step = 2;
    }
    parts();
  }

  // --- pairs of places ---

  function parts() {
    const fits = fitting();
    const whole = fits.filter((order) => order.parts.length === chosen.parts.length);
    const more = fits.filter((order) => order.parts.length > chosen.parts.length);
    finish(whole);
    if (!more.length) return;
    if (chosen.parts.length && !whole.length) look(begun(more));
    const base = options.childElementCount;
    const next = more.flatMap(now);
    if (gifts) {
      group(say.sayCard, unique(next).map((card) => ({ value: card, text: card === "*" ? "★" : card, card: true })), (item) => {
        trim(base + 1);
        undo();
        chosen.parts = [item.value];
        finish(fitting());
      });
      return tell(whole.length ? say.sayReady : say.sayCard);
    }
    const before = chosen.parts;
    const choose = (place) => {
      trim(base + 1);
      // a part that was chosen for another pawn of this group is taken back
      if (chosen.parts.length > before.length) {
        undo();
        chosen.parts = before;
        finish(whole);
        if (before.length && !whole.length) look(begun(more));
      }
      chosen.source = place;
      const parts = unique(next.filter((part) => source(part) === place));
      if (parts.length === 1 && parts[0] === "out") return take(base, before, "out");
      targets(base, before, parts);
    };
    const places = unique(next.map(source)).sort((one, other) => rank(one) - rank(other));
    group(say.sayPawn, places.map((place) => ({
      value: place,
      text: place === "home" ? say.sayOut : fill(say.sayPawnOn, { place: shown(place) }),
    })), (item) => choose(item.value));
    markPawns(places, (place) => {
      check(base, places.indexOf(place));
      choose(place);
    });
    tell(pawnPrompt());
  }

  function pawnPrompt() {
    if (!chosen.parts.length) return `${chosen.effect ?? ""} ${say.sayPawn}`.trim();
    return fill(say.sayPart, { left: 7 - chosen.parts.reduce((sum, part) => sum + steps(part), 0) });
  }
  // how far a part of a seven goes, counted along the ring; the words beside it say the rest
  function steps(part) {
    const ring = svg ? svg.querySelectorAll(".ring .field").length : 64;
    const from = source(part), to = target(part);
    if (/^[ep]/.test(from)) return to[1] - from[1];
    if (!/^[ep]/.test(to)) return (to - from + ring) % ring;
    const start = to[0] === "e" ? say.start : say.partnerStart;
    return (start - from + ring) % ring + Number(to[1]);
  }

  function targets(base, before, parts) {
    clear();
    const places = parts.map(target);
    const swap = parts.some((part) => part.includes("x"));
    group(say.sayTarget, parts.map((part) => ({
      value: part,
      text: fill(swap ? say.saySwap : say.sayTo, { place: shown(target(part)) }),
    })), (item) => take(base, before, item.value));
    markChosen(chosen.source);
    markTargets(places, swap, (place) => {
      check(base + 1, places.indexOf(place));
      take(base, before, parts[places.indexOf(place)]);
    });
    tell(say.sayTarget);
  }

  function take(base, before, part) {
    trim(base + 2);
    undo();
    chosen.parts = [...before, part];
    clear();
    parts();
  }

  // nothing is ready any more, and an answer that is still under way is about something else
  function undo() {
    turn.forget();
    field.value = "";
    output.textContent = "";
    told.textContent = "";
    burnt = [];
  }

  function finish(whole) {
    const exact = whole.filter((order) => order.parts.join(" ") === chosen.parts.join(" "));
    const found = exact.length ? exact : whole;
    if (!found.length || !(chosen.parts.length || gifts)) {
      field.value = "";
      output.textContent = [(chosen.as ? "*" + chosen.as : chosen.card), ...chosen.parts].join(" ") + " …";
      return;
    }
    field.value = found[0].text;
    output.textContent = found[0].text;
    tell(say.sayReady);
    look(exact.length || gifts ? found[0].text : asChosen(), found[0].text);
  }

  // the order with its parts as they were chosen; `rest` follows them
  function asChosen(rest = []) {
    return [chosen.as ? "*" + chosen.as : chosen.card, ...chosen.parts, ...rest].join(" ");
  }
  // a whole order that begins with the parts chosen so far, to ask what they do
  function begun(orders) {
    const straight = orders.find((order) => chosen.parts.every((part, at) => order.parts[at] === part));
    return asChosen(rest(straight ?? orders[0]));
  }

  // --- what the order would do: asked of the service, which knows ---

  // `listed` is the order of the list with the same parts, where `order` has them as chosen: the
  // one that the service understands under the chosen one is taken
  async function look(order, listed) {
    const made = chosen.parts.length;
    const isWhole = field.value !== "";
    const known = await turn.preview({ order });
    if (!known) return;
    if (known.problem) {
      if (listed && listed !== order) look(listed);
      return;
    }
    if (isWhole) field.value = output.textContent = known.order;
    // of an order that is not whole yet, only the parts that were chosen are told
    let moves = 0;
    const home = [];
    known.events.forEach((event, at) => {
      if (event.kind === "moved") moves += 1;
      if (event.kind === "sent_home" && (isWhole || moves <= made)) home.push(at);
    });
    burnt = home.map((at) => known.events[at].field);
    burnt.forEach(burn);
    told.textContent = home.map((at) => known.sentences[at]).join(" ");
  }

  // --- on the board ---

  const SVG = "http://www.w3.org/2000/svg";
  function clear() {
    if (!svg) return;
    for (const mark of svg.querySelectorAll(".halo, .burnt")) mark.remove();
    for (const piece of svg.querySelectorAll(".can, .planned")) {
      piece.classList.remove("can", "planned");
      piece.onclick = null;
    }
    for (const part of chosen.parts) if (target(part)) fields(target(part)).forEach((one) => one.classList.add("planned"));
    burnt.forEach(burn);
  }
  function fields(place) {
    if (place.startsWith("p")) return [...svg.querySelectorAll(`.field[data-place="e${place[1]}"][data-owner="${say.partner}"]`)];
    if (place.startsWith("e")) return [...svg.querySelectorAll(`.field[data-place="${place}"][data-owner="${say.owner}"]`)];
    return [...svg.querySelectorAll(`.field[data-place="${place}"]`)];
  }
  function pawns(place, owner) {
    const name = place.startsWith("p") ? "e" + place[1] : place;
    const whose = /^[ep]|home/.test(place) ? (place.startsWith("p") ? say.partner : say.owner) : owner;
    return [...svg.querySelectorAll(`.pawn[data-place="${name}"]`)].filter((pawn) => !whose || pawn.dataset.owner === whose);
  }
  function halo(pawn, chosenOne) {
    const ring = document.createElementNS(SVG, "circle");
    ring.setAttribute("r", "32");
    ring.setAttribute("class", chosenOne ? "halo chosen" : "halo");
    pawn.append(ring);
  }
  function markPawns(places, onClick) {
    if (!svg) return;
    for (const place of places) for (const pawn of pawns(place)) {
      pawn.classList.add("can");
      halo(pawn, false);
      pawn.onclick = () => onClick(place);
    }
  }
  function markChosen(place) {
    if (svg) for (const pawn of pawns(place).slice(0, 1)) halo(pawn, true);
  }
  function markTargets(places, swap, onClick) {
    if (!svg) return;
    for (const place of places) {
      for (const one of fields(place)) {
        one.classList.add("can");
        one.onclick = () => onClick(place);
      }
      for (const pawn of pawns(place)) {
        pawn.classList.add("can");
        if (swap) halo(pawn, false);
        pawn.onclick = () => onClick(place);
      }
    }
  }
  function burn(place) {
    if (!svg) return;
    for (const pawn of svg.querySelectorAll(`.pawn[data-place="${place}"]`)) {
      if (pawn.querySelector(".burnt")) continue;
      const cross = document.createElementNS(SVG, "path");
      cross.setAttribute("d", "M-22 -22 L22 22 M22 -22 L-22 22");
      cross.setAttribute("class", "burnt");
      cross.setAttribute("stroke", "#a3230f");
      cross.setAttribute("stroke-width", "8");
      const title = document.createElementNS(SVG, "title");
      title.textContent = say.sayBurnt;
      cross.append(title);
      pawn.append(cross);
    }
  }

  function trim(count) {
    while (options.childElementCount > count) options.lastElementChild.remove();
  }
  function check(number, item) {
    const radio = options.children[number]?.querySelectorAll("input")[item];
    if (radio) radio.checked = true;
  }
  function tell(text) {
    line.textContent = text;
  }

  const again = document.createElement("button");
  again.type = "button";
  again.className = "again";
  again.textContent = say.sayAgain;
  again.addEventListener("click", () => {
    undo();
    chosen = { card: null, as: null, source: null, parts: [] };
    draw(0);
  });
  box.querySelector(".so-far").append(again);

  // who writes an order means that one
  field.addEventListener("input", () => {
    const written = field.value;
    undo();
    field.value = written;
    clear();
  });

  const typed = field.value;
  root.classList.add("js");
  box.hidden = false;
  for (const radio of root.querySelectorAll(".plain input")) radio.disabled = true;
  draw(0);
  field.value = typed;
})();
