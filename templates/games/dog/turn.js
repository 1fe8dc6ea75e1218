// Choosing a move of Dog: a card, a pawn, where it goes. Cards are touched in the hand, pawns and
// targets on the board. No rule is known here: the orders that the game listed are narrowed down by
// what they are made of, and the one that is left fills the field `order`. Every step is a group of
// radio buttons of no form, for keys and screen readers, so nothing but `order` is ever sent.
"use strict";

(() => {
  const { turn } = window;
  const root = document.getElementById("dog");
  if (!root) return;
  const { field, fill, words } = turn;

  // --- one of a few orders in words: whom to help ---

  const few = [...root.querySelectorAll('.plain input[name="order"]')];
  const listed = turn.values("choices");
  root.classList.add("js");
  if (!listed.parts) {
    const show = () => {
      const chosen = few.find((one) => one.checked);
      turn.say(
        chosen?.closest("label").querySelector("span").textContent.trim() ?? "",
        words.asked,
      );
      turn.ready(Boolean(chosen));
    };
    root.addEventListener("change", show);
    field.addEventListener("input", show);
    return show();
  }

  const svg = document.querySelector("svg.board");
  // no pawn moves: cards are given, or one is put down
  const cardsOnly = listed.cards_only;
  const orders = turn.values("made-of").map(([text, card, as, numbers]) => ({
    text,
    card,
    as,
    parts: numbers.map((number) => listed.parts[number]),
  }));

  const box = root.querySelector(".stepwise");
  const options = box.querySelector(".options");
  const output = box.querySelector("output");
  const back = box.querySelector(".back");
  const nothing = () => ({ card: null, as: null, source: null, parts: [], bases: [] });
  // what has been chosen: a card, what a joker stands for, the place of a pawn, and parts, each with
  // the number of the group in which its pawn was chosen
  let chosen = nothing();
  // fields whose pawns the parts chosen so far send Home, and the sentences that say so
  let burnt = [];
  let told = "";
  // what is to be done next, in words
  let next = "";

  const unique = (list) => [...new Set(list)];
  const called = (card) => (card === "*" ? words.joker : card);
  const same = (one, other) => one?.number === other?.number;
  // each place once, in the order of the board: Home, the ring, the End Zones
  const sorted = (places) =>
    [...new Map(places.map((place) => [place.number, place])).values()].toSorted(
      (one, other) => one.number - other.number,
    );

  // the orders that still fit: those that have all chosen parts, in whatever order
  function fitting() {
    return orders.filter((order) => {
      if (order.card !== chosen.card) return false;
      if (order.as !== null && chosen.as !== null && order.as !== chosen.as) return false;
      const left = [...order.parts];
      return chosen.parts.every((part) => {
        const at = left.indexOf(part);
        if (at >= 0) left.splice(at, 1);
        return at >= 0;
      });
    });
  }
  const rest = (order) => {
    const left = [...order.parts];
    for (const part of chosen.parts) left.splice(left.indexOf(part), 1);
    return left;
  };

  // of those, what can be made now: not yet where an earlier part has to bring the pawn
  const now = (order) =>
    rest(order).filter(
      (part, at, left) =>
        cardsOnly || !left.slice(0, at).some((before) => same(before.target, part.source)),
    );

  // --- the bar: what is chosen, and what it does or what comes next ---

  function summary() {
    const { card, as, source, parts } = chosen;
    if (!card) return "";
    if (cardsOnly && !words.receivers.length) return fill(words.down, { card: called(card) });
    if (cardsOnly) {
      const given = [card, ...parts.map((part) => part.order)];
      return given
        .map((one, at) => `${called(one)} → ${words.names[words.receivers[at]]}`)
        .join(", ");
    }
    const ways = parts.map(spelled);
    if (source) ways.push(`${source.name} →`);
    const played = as ? fill(words.joker_as, { card: as }) : called(card);
    return ways.length ? `${played}: ${ways.join(", ")}` : played;
  }
  function spelled({ target, source, swap }) {
    return target ? `${source.name} ${swap ? "⇄" : "→"} ${target.name}` : words.out;
  }
  function tell(text = next) {
    next = text;
    offerBack();
    // what it does says that it can be played
    turn.say(summary(), told && text === words.ready ? told : `${told} ${text}`.trim());
  }

  // --- drawing the choices ---

  function group(name, list, onChoose, value, kind = "") {
    const holder = document.createElement("div");
    holder.className = `group ${kind}`;
    holder.setAttribute("role", "radiogroup");
    holder.setAttribute("aria-label", name);
    for (const item of list) {
      const label = document.createElement("label");
      label.dataset.choice = item.value;
      if (item.card) label.classList.add("as-card");
      if (item.cannot) label.classList.add("cannot");
      const input = document.createElement("input");
      input.type = "radio";
      input.name = `step-${options.childElementCount}`;
      input.setAttribute("form", "nowhere");
      input.value = item.value;
      input.checked = item.value === value;
      // a browser that comes back must not choose in a group what was chosen in another at its place
      input.autocomplete = "off";
      // a card that cannot be played can be touched: it says why
      if (item.cannot) input.setAttribute("aria-description", item.cannot);
      input.addEventListener("change", () => onChoose(item));
      const text = document.createElement("span");
      text.textContent = item.text;
      const picture = item.card && face(item.value);
      if (picture) {
        text.className = "vh";
        label.append(input, picture, text);
      } else label.append(input, text);
      holder.append(label);
    }
    options.append(holder);
    return holder;
  }
  // the face of a card of the hand; what a joker stands for has none
  function face(card) {
    const template = box.querySelector(`template[data-face="${CSS.escape(card)}"]`);
    return template?.content.firstElementChild.cloneNode(true);
  }

  // every card of the hand lies there, also two of one kind
  function hand() {
    const rows = new Map(listed.cards.map((row) => [row.card, row]));
    const held = [...root.querySelectorAll(".hand .card .vh")].map((one) => one.textContent);
    return held.map((text) => {
      const { card, effect, why_not: why } = rows.get(text === words.joker ? "*" : text);
      return {
        value: card,
        text,
        card: true,
        cannot: why && `${words.not_now} ${why}`,
        effect,
      };
    });
  }

  function draw(from) {
    // groups before the one that was changed stay, and keep the keyboard's focus
    while (options.childElementCount > from) options.lastElementChild.remove();
    let step = from;
    if (step === 0) {
      group(
        words.card,
        hand(),
        (item) => {
          undo();
          chosen = { ...nothing(), card: item.value, why: item.cannot, effect: item.effect };
          draw(1);
        },
        chosen.card,
        "hand",
      );
      step = 1;
    }
    clear();
    box.classList.toggle("begun", Boolean(chosen.card));
    box.classList.toggle("joker", false);
    if (!chosen.card)
      return tell(cardsOnly ? words.asked : [words.asked, words.card].join(" ").trim());
    if (chosen.why) return tell(chosen.why);
    const fits = fitting();
    const ranks = unique(fits.map((order) => order.as)).filter((rank) => rank !== null);
    box.classList.toggle("joker", ranks.length > 0);
    if (ranks.length && step === 1) {
      group(
        words.as,
        ranks.map((rank) => ({ value: rank, text: rank })),
        (item) => {
          undo();
          chosen = { ...chosen, as: item.value, source: null, parts: [] };
          draw(2);
        },
        chosen.as,
        "small",
      );
      if (chosen.as === null) return tell(words.as);
      step = 2;
    }
    goOn();
  }

  // --- the parts of an order: a pawn, and where it goes ---

  function goOn() {
    const fits = fitting();
    const whole = fits.filter((order) => order.parts.length === chosen.parts.length);
    const more = fits.filter((order) => order.parts.length > chosen.parts.length);
    finish(whole);
    if (!more.length) return;
    if (chosen.parts.length && !whole.length) look(begun(more));
    const base = options.childElementCount;
    const nextParts = unique(more.flatMap(now));
    if (cardsOnly) return further(base, nextParts, whole);
    const before = chosen.parts;
    const choose = (place) => {
      trim(base + 1);
      // a part that was chosen for another pawn of this group is taken back
      if (chosen.parts.length > before.length) {
        undo();
        keep(before.length);
        finish(whole);
        if (before.length && !whole.length) look(begun(more));
      }
      Object.assign(chosen, { source: place, base });
      const own = nextParts.filter((part) => same(part.source, place));
      if (own.length === 1 && !own[0].target) return take(base, before, own[0]);
      targets(base, before, own);
      // another pawn can still be touched
      markPawns(
        places.filter((other) => !same(other, place)),
        touch,
      );
    };
    const places = sorted(nextParts.map((part) => part.source));
    const leaves = (place) => nextParts.some((part) => same(part.source, place) && part.target);
    const touch = (place) => {
      check(base, places.indexOf(place));
      choose(place);
    };
    group(
      words.pawn,
      places.map((place) => ({
        value: place.order,
        text: leaves(place) ? fill(words.on, { place: place.name }) : words.out,
        place,
      })),
      (item) => choose(item.place),
      undefined,
      "on-board",
    );
    markPawns(places, touch);
    tell(pawnPrompt());
  }

  // the cards of a gift after the first
  function further(base, cards, whole) {
    const left = hand().map(({ value }) => value);
    left.splice(left.indexOf(chosen.card), 1);
    box.classList.add("joker");
    group(
      words.card,
      left.map((card) => {
        const part = cards.find(({ order }) => order === card);
        return { value: card, text: called(card), card: true, part };
      }),
      (item) => {
        trim(base + 1);
        undo();
        chosen.parts = [item.part];
        finish(fitting());
      },
      undefined,
      "small faces",
    );
    tell(whole.length ? words.ready : words.asked);
  }

  function pawnPrompt() {
    if (!chosen.parts.length) return `${chosen.as ? "" : chosen.effect} ${words.pawn}`.trim();
    return fill(words.part, {
      left: listed.steps - chosen.parts.reduce((sum, part) => sum + part.steps, 0),
    });
  }

  function targets(base, before, parts) {
    clear();
    group(
      words.target,
      parts.map((part) => ({
        value: part.order,
        text: fill(part.swap ? words.swap : words.to, { place: part.target.name }),
        part,
      })),
      (item) => take(base, before, item.part),
      undefined,
      "on-board",
    );
    ring(chosen.source, "chosen");
    markTargets(parts, (part) => {
      check(base + 1, parts.indexOf(part));
      take(base, before, part);
    });
    tell(words.target);
  }

  function take(base, before, part) {
    trim(base + 2);
    undo();
    keep(before.length);
    chosen.parts = [...before, part];
    chosen.bases[before.length] = base;
    clear();
    goOn();
  }

  // --- one step back: a pawn that was chosen last, or else the last part ---

  // only so many parts stay, and no pawn whose target is still to be chosen
  function keep(count) {
    chosen = { ...chosen, source: null, parts: chosen.parts.slice(0, count) };
  }
  function offerBack() {
    const last = chosen.source
      ? fill(words.on, { place: chosen.source.name })
      : chosen.parts.at(-1);
    back.hidden = cardsOnly || !last;
    if (back.hidden) return;
    const step = chosen.source ? last : spelled(last);
    back.setAttribute("aria-description", fill(words.back, { step }));
  }
  function stepBack() {
    const { source, parts, bases, base } = chosen;
    const left = source ? parts.length : parts.length - 1;
    const onBoard = svg?.contains(document.activeElement);
    trim(source ? base : bases[left]);
    undo();
    keep(left);
    clear();
    goOn();
    // where one chooses again: on the board, or in the list for keys
    const again = onBoard
      ? svg.querySelector(".can")
      : options.lastElementChild.querySelector("input");
    again.focus({ preventScroll: true });
  }
  back.addEventListener("click", stepBack);
  for (const part of [box, svg])
    part?.addEventListener("keydown", (event) => {
      if (event.key !== "Backspace" || back.hidden) return;
      event.preventDefault();
      stepBack();
    });

  // nothing is ready any more, and an answer that is still under way is about something else
  function undo() {
    turn.forget();
    turn.ready(false);
    field.value = "";
    output.textContent = "";
    told = "";
    burnt = [];
  }

  function finish(whole) {
    const exact = whole.filter((order) =>
      order.parts.every((part, at) => part === chosen.parts[at]),
    );
    const fits = exact.length ? exact : whole;
    if (!fits.length || !(chosen.parts.length || cardsOnly)) {
      field.value = "";
      turn.ready(false);
      if (!chosen.as && !chosen.parts.length) return;
      const begin = listed.ranks[chosen.as] ?? chosen.card;
      output.textContent = [begin, ...chosen.parts.map((part) => part.order), "…"].join(" ");
      return;
    }
    field.value = fits[0].text;
    output.textContent = fits[0].text;
    turn.ready(true);
    tell(words.ready);
    look(exact.length ? { order: fits[0].text } : picked(chosen.parts), fits[0].text);
  }

  // what was picked, part by part in this order: the service makes the order of it
  function picked(parts) {
    const fields = [
      ["pick-card", chosen.card],
      ["pick-rank", chosen.as ?? ""],
    ];
    return [...fields, ...parts.map((part) => ["pick-parts", part.order])];
  }
  // a whole order that begins with the parts chosen so far, to ask what they do
  function begun(more) {
    const straight = more.find((order) =>
      chosen.parts.every((part, at) => order.parts[at] === part),
    );
    return picked([...chosen.parts, ...rest(straight ?? more[0])]);
  }

  // --- what the order would do: asked of the service, which knows ---

  // `fields` hold an order, or parts as they were chosen: the one that the service understands under
  // these is taken, and where it does not, the `order` of the list with the same parts
  async function look(fields, order) {
    const count = chosen.parts.length;
    const isWhole = field.value !== "";
    const known = await turn.preview(fields);
    if (!known) return;
    if (known.problem) {
      if (order && fields.order !== order) look({ order });
      return;
    }
    if (isWhole) field.value = output.textContent = known.order;
    // of an order that is not whole yet, only the parts that were chosen are told
    let moves = 0;
    const home = [];
    known.events.forEach((event, at) => {
      if (event.kind === "moved") moves += 1;
      if (event.kind === "sent_home" && (isWhole || moves <= count)) home.push(at);
    });
    burnt = home.map((at) => known.events[at].field);
    burnt.forEach(burn);
    told = home.map((at) => known.sentences[at]).join(" ");
    tell();
  }

  // --- on the board ---

  const SVG = "http://www.w3.org/2000/svg";
  const size = Number(svg?.dataset.scale ?? 1);
  // how far from a pawn or a hole a finger may be
  const REACH = 28;
  // what a touch of a field or a pawn chooses now
  const actions = new Map();
  svg?.addEventListener("click", ({ clientX, clientY }) => {
    const near = [...actions].map(([piece, act]) => {
      const at = (piece.querySelector("use") ?? piece).getBoundingClientRect();
      const far = Math.hypot(at.left + at.width / 2 - clientX, at.top + at.height / 2 - clientY);
      return { far, act, reach: Math.max(REACH, at.width / 2) };
    });
    const within = near.filter(({ far, reach }) => far <= reach);
    within.toSorted((one, other) => one.far - other.far)[0]?.act();
  });
  svg?.addEventListener("keydown", (event) => {
    const act = actions.get(event.target);
    if (!act || !["Enter", " "].includes(event.key)) return;
    event.preventDefault();
    act();
    svg.querySelector(".can")?.focus();
  });
  function clear() {
    if (!svg) return;
    for (const one of svg.querySelectorAll(".light, .ring, .choice")) one.remove();
    for (const piece of svg.querySelectorAll(".can")) {
      piece.classList.remove("can");
      for (const name of ["tabindex", "role", "aria-label", "data-choice"])
        piece.removeAttribute(name);
    }
    actions.clear();
    for (const part of chosen.parts) {
      way(part);
      for (const place of [part.source, part.target]) if (place) ring(place, "chosen");
    }
    burnt.forEach(burn);
  }
  // the fields or pawns of the drawing at a place
  function drawn(kind, { mark, owner }) {
    const whose = owner === null ? "" : `[data-owner="${owner}"]`;
    return [...svg.querySelectorAll(`.${kind}[data-place="${mark}"]${whose}`)];
  }
  function made(name, attributes) {
    const one = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
    return one;
  }
  function touchable(piece, choice, label, act) {
    piece.classList.add("can");
    piece.dataset.choice = choice;
    piece.prepend(made("circle", { class: "light", r: 42 * size, fill: "url(#board-glow)" }));
    piece.setAttribute("tabindex", "0");
    piece.setAttribute("role", "button");
    piece.setAttribute("aria-label", label);
    actions.set(piece, act);
  }
  // around the pawn at a place, or else around its hole
  function ring(place, kind) {
    if (!svg) return;
    const piece = drawn("pawn", place)[0] ?? drawn("field", place)[0];
    for (const under of ["under", kind])
      piece?.append(made("circle", { class: `ring ${under}`, r: 22 * size }));
  }
  function markPawns(places, onTouch) {
    if (!svg) return;
    for (const place of places) {
      const leaves = place.mark !== "home";
      const label = leaves ? fill(words.on, { place: place.name }) : words.out;
      for (const pawn of drawn("pawn", place))
        touchable(pawn, place.order, label, () => onTouch(place));
    }
  }
  function markTargets(parts, onTouch) {
    if (!svg) return;
    for (const part of parts) {
      const pawn = drawn("pawn", part.target)[0];
      const text = fill(part.swap ? words.swap : words.to, { place: part.target.name });
      const piece = pawn ?? drawn("field", part.target)[0];
      touchable(piece, part.order, text, () => onTouch(part));
    }
  }
  function burn(place) {
    if (!svg) return;
    for (const pawn of svg.querySelectorAll(`.pawn[data-place="${place}"]`)) {
      if (pawn.querySelector(".hit")) continue;
      for (const kind of ["under", "hit"]) {
        const one = made("circle", { class: `ring ${kind}`, r: 23 * size });
        if (kind === "hit") one.append(made("title", {}));
        pawn.append(one);
      }
      pawn.querySelector(".hit title").textContent = words.burnt;
    }
  }
  // the way of a part, in the groove under the holes
  function way({ through, target }) {
    if (!svg || !through?.length) return;
    const holes = through.map((mark) => {
      const owner = /^\d/.test(mark) ? null : target.owner;
      const { e: x, f: y } = drawn("field", { mark, owner })[0].transform.baseVal[0].matrix;
      return { x, y };
    });
    const line = `M${holes.map(({ x, y }) => `${x} ${y}`).join("L")}`;
    const choice = made("g", { class: "choice" });
    for (const [kind, width] of [
      ["edge", 39],
      ["paint", 33],
    ])
      choice.append(made("path", { class: kind, d: line, "stroke-width": width * size }));
    holes.slice(1).forEach(({ x, y }, at) => {
      const { x: left, y: top } = holes[at];
      const angle = (Math.atan2(y - top, x - left) * 180) / Math.PI;
      const place = `translate(${(x + left) / 2} ${(y + top) / 2}) rotate(${angle}) scale(${size})`;
      choice.append(made("path", { class: "chevron", d: "M-3.5-8L3.5 0-3.5 8", transform: place }));
    });
    svg.querySelector(".field").before(choice);
  }

  function trim(count) {
    while (options.childElementCount > count) options.lastElementChild.remove();
  }
  function check(number, item) {
    const radio = options.children[number]?.querySelectorAll("input")[item];
    if (radio) radio.checked = true;
  }

  box.querySelector(".again").addEventListener("click", () => {
    undo();
    chosen = nothing();
    draw(0);
    options.querySelector("input")?.focus({ preventScroll: true });
  });

  // who writes an order means that one
  field.addEventListener("input", () => {
    const written = field.value;
    undo();
    // the cards are laid out anew once, and not with each letter
    if (chosen.card || !written) {
      chosen = nothing();
      draw(0);
    }
    field.value = written;
    turn.ready(written !== "");
    if (written) tell(words.ready);
  });

  // Chooses an order again, step by step: one of those listed, or the parts of one in the sequence of its
  // words. Returns whether there is one.
  function chooseAgain(text) {
    const wanted = text.split(" ");
    const alike = (order) => order.text.split(" ").toSorted().join() === wanted.toSorted().join();
    const order = orders.find((one) => one.text === text) ?? orders.find(alike);
    if (!order) return false;
    const touch = (value) =>
      [...options.querySelectorAll("input")].findLast((one) => one.value === value)?.click();
    touch(order.card);
    if (order.as !== null) touch(order.as);
    const parts = order.parts.toSorted(
      (one, other) => wanted.indexOf(one.order) - wanted.indexOf(other.order),
    );
    for (const part of parts) {
      if (part.source) touch(part.source.order);
      if (!part.source || part.target) touch(part.order);
    }
    return field.value !== "";
  }

  const typed = few.find((one) => one.checked)?.value ?? field.value;
  box.hidden = false;
  for (const radio of few) radio.disabled = true;
  draw(0);
  if (field.getAttribute("aria-invalid") !== "true" && chooseAgain(typed)) return;
  field.value = typed;
  // what was refused is not ready as it stands
  const whole = typed !== "" && field.getAttribute("aria-invalid") !== "true";
  turn.ready(whole);
  if (whole) tell(words.ready);
})();
