// Choosing in the skirmish: pointing at the map, building and deploying by a form. Whatever is chosen
// becomes a line in the one field `order`. No rule is known here: ways, costs and prices are on the
// page already, and what an order would do the service says before it is confirmed.
"use strict";

(() => {
  const root = document.getElementById("skirmish");
  const field = document.getElementById("order");
  const svg = document.querySelector("svg.skirmish-map");
  if (!root || !field) return;
  const say = root.dataset;
  const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const SVG = "http://www.w3.org/2000/svg";
  const radios = () => [...root.querySelectorAll('input[name="order"]')];

  function make(tag, text, into) {
    const made = document.createElement(tag);
    if (text) made.textContent = text;
    if (into) into.append(made);
    return made;
  }
  function draw(tag, values, into) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(values)) made.setAttribute(name, value);
    into.append(made);
    return made;
  }
  // a list and a text field share a name: only one of the two may say something
  function write(order) {
    for (const radio of radios()) radio.checked = false;
    field.value = order;
  }
  for (const radio of radios()) radio.addEventListener("change", () => { field.value = ""; });
  field.addEventListener("input", () => { for (const radio of radios()) radio.checked = false; });

  const frame = svg?.closest(".map-window");
  // on a narrow page what a tap means and what comes of it stand at the foot of the map, with the
  // button that goes on: the form is screens further down
  const narrow = matchMedia("not all and (min-width: 60rem)");
  function footOfMap(box) {
    const home = box.parentElement, after = box.nextSibling;
    const goOn = make("p", "", box), button = make("button", document.getElementById("preview").textContent, goOn);
    goOn.className = "go-on";
    button.type = "button";
    button.addEventListener("click", () => document.getElementById("preview").click());
    function put() {
      if (narrow.matches) frame.after(box);
      else home.insertBefore(box, after);
    }
    narrow.addEventListener("change", put);
    put();
  }
  // scrolls the window of the map, not the page
  function bringIntoView(x, y, floor) {
    const at = new DOMPoint(...onMap(x, y, floor)).matrixTransform(svg.getScreenCTM()), seen = frame.getBoundingClientRect();
    if (frame.scrollWidth > frame.clientWidth) frame.scrollLeft += at.x - seen.left - frame.clientWidth / 2;
    if (frame.scrollHeight > frame.clientHeight) frame.scrollTop += at.y - seen.top - frame.clientHeight / 2;
  }

  const depth = svg ? svg.dataset.depth / 50 : 0;
  const mapX = (inches) => inches * 20;
  const mapY = (inches) => depth - inches * 20;
  const tidy = (inches) => String(Math.round(inches * 10) / 10);
  // plans of the floors above the ground lie beside the map, each moved from its place
  const floors = svg ? [...svg.querySelectorAll("g.floor")].map((plan) => ({
    name: plan.dataset.floor, dx: Number(plan.dataset.dx), dy: Number(plan.dataset.dy),
    rect: plan.dataset.rect.split(",").map((value) => value / 1000),
  })) : [];
  function onMap(x, y, floor) {
    const plan = floors.find((one) => one.name === floor);
    return [mapX(x) + (plan ? plan.dx : 0), mapY(y) + (plan ? plan.dy : 0)];
  }
  // where on the table an event points: inches and the floor, or null
  function pointed(event) {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const spot = (plan) => ({ x: (at.x - (plan?.dx ?? 0)) / 20, y: (depth - at.y + (plan?.dy ?? 0)) / 20, floor: plan?.name ?? "ground" });
    for (const plan of floors) {
      const { x, y } = spot(plan), [west, south, east, north] = plan.rect;
      if (x >= west - 0.5 && x <= east + 0.5 && y >= south - 0.5 && y <= north + 0.5) return spot(plan);
    }
    const ground = spot(), wide = svg.dataset.width / 1000, deep = svg.dataset.depth / 1000;
    return ground.x >= 0 && ground.y >= 0 && ground.x <= wide && ground.y <= deep ? ground : null;
  }

  // --- an activation: ground, targets, and what else is pointed at ---

  function activation() {
    const box = root.querySelector(".live-map");
    const live = box.querySelector(".live");
    const tools = box.querySelector(".tools");
    const layer = svg.querySelector(".reach");
    const men = [...root.querySelectorAll("details.man")];
    const wait = root.querySelector("#wait");
    const GAITS = ["walk", "run", "crawl"];
    const said = { walk: say.sayWalk, run: say.sayRun, crawl: say.sayCrawl };
    let man = null, tool = "", ways = [], climbs = [];
    const who = () => man.dataset.name;
    const stands = () => man.dataset.at.split(",").map(Number);

    // the fields of the page without a script: with one they only help to write the order
    for (const part of root.querySelectorAll('[name^="pick-"]')) part.setAttribute("form", "not-sent");

    function choose(next) {
      man = next;
      ways = [...man.querySelectorAll("select.where option[data-ap]")].map((option) => {
        const [x, y] = option.value.split(" ").pop().split(",").map(Number);
        const costs = option.dataset.ap.split("/");
        return { path: option.value, x, y, cost: Object.fromEntries(GAITS.map((gait, number) => [gait, costs[number]])) };
      });
      climbs = [...man.querySelectorAll("input[data-climb]")].map((radio) => {
        const [spot, floor, ap] = radio.dataset.climb.split(" ");
        const [x, y] = spot.split(",").map(Number);
        return { radio, x, y, floor, ap };
      });
      for (const chosen of svg.querySelectorAll(".model.chosen")) chosen.classList.remove("chosen");
      for (const sign of svg.querySelectorAll(`.model[data-name="${who()}"]`)) sign.classList.add("chosen");
      offer();
      show();
      bringIntoView(...stands(), man.dataset.floor);
    }
    // one button for each thing that pointing can mean for this man
    function offer() {
      const offered = GAITS.filter((gait) => ways.some((way) => way.cost[gait])).map((gait) => [gait, said[gait]]);
      if (man.querySelector("ul.orders, select")) offered.push(["face", say.sayTurn]);
      for (const thing of man.dataset.grenades.split(" ").filter(Boolean)) offered.push([`throw ${thing}`, fill(say.sayThrow, { thing })]);
      for (const thing of man.dataset.launchers.split(" ").filter(Boolean)) offered.push([`shell ${thing}`, fill(say.sayShell, { thing })]);
      if (wait && waits().length) offered.push(["wait", say.sayWait]);
      if (!offered.some(([name]) => name === tool)) tool = offered[0]?.[0] ?? "";
      tools.replaceChildren(...offered.map(([name, text]) => {
        const button = make("button", text);
        button.type = "button";
        button.dataset.tool = name;
        button.addEventListener("click", () => { tool = name; show(); });
        return button;
      }));
    }
    const waits = () => [...wait.options].filter((option) => option.value.startsWith(`${who()} `));
    function show() {
      for (const button of tools.children) button.setAttribute("aria-pressed", button.dataset.tool === tool);
      layer.replaceChildren();
      if (GAITS.includes(tool)) {
        for (const way of ways) if (way.cost[tool]) dot(way, man.dataset.floor, way.cost[tool], tool === "run" ? "runs" : "walks");
        for (const climb of climbs) dot(climb, climb.floor, climb.ap, "climbs");
      }
      const texts = { face: say.sayAim, wait: say.saySector };
      const text = texts[tool] ?? (/^(throw|shell) /.test(tool) ? say.sayMark : say.sayReach);
      live.textContent = fill(text, { model: who() });
    }
    function dot(spot, floor, ap, kind) {
      const [x, y] = onMap(spot.x, spot.y, floor);
      const mark = draw("g", { transform: `translate(${x} ${y})`, class: kind }, layer);
      const shapes = { walks: ["circle", { r: 9 }], runs: ["rect", { x: -9, y: -9, width: 18, height: 18 }], climbs: ["path", { d: "M0 -14 L13 9 H-13 Z" }] };
      draw(...shapes[kind], mark);
      draw("text", { y: 5, "text-anchor": "middle", "font-size": 13 }, mark).textContent = ap;
    }
    function nearest(spot, among, floorOf) {
      let best = null, far = 1.6;
      for (const one of among) {
        if (floorOf(one) !== spot.floor) continue;
        const away = Math.hypot(one.x - spot.x, one.y - spot.y);
        if (away < far) [best, far] = [one, away];
      }
      return best;
    }
    const way = (spot) => nearest(spot, ways.filter((one) => one.cost[tool]), () => man.dataset.floor);
    const climb = (spot) => nearest(spot, climbs, (one) => one.floor);
    const away = (spot) => Math.hypot(spot.x - stands()[0], spot.y - stands()[1]);
    function bearing(spot) {
      const [x, y] = stands();
      return Math.round((Math.atan2(spot.x - x, spot.y - y) * 180 / Math.PI + 360)) % 360;
    }
    const place = (spot) => `${tidy(spot.x)},${tidy(spot.y)}${spot.floor === "ground" ? "" : ` on ${spot.floor}`}`;
    function give(order, ap) {
      write(order);
      asked += 1;
      live.textContent = ap === undefined ? order : fill(say.sayGoes, { order, ap });
    }
    // what an order comes to, and what it would take in: the service knows, and its preview says so
    let asked = 0;
    async function ask(order) {
      give(order);
      const mine = asked;
      try {
        const answer = await fetch(document.getElementById("move").action, {
          method: "POST",
          headers: { Accept: "text/html" },
          body: new URLSearchParams({ order }),
        });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (mine !== asked || field.value !== order) return;
        const told = page.querySelector(answer.ok ? ".effect" : "#problem");
        if (!told) return;
        const lines = answer.ok ? [...told.children] : [told];
        live.textContent = [order, ...lines.map((line) => line.textContent.replace(/\s+/g, " ").trim())].join(" · ");
        if (answer.ok) takeIn(told.dataset);
      } catch { /* the page works without this answer */ }
    }
    // the ground that bursts, and how far from the mark a miss may fall
    function takeIn({ area, floor }) {
      layer.replaceChildren();
      if (!area) return;
      const [x, y, radius, scatter] = area.split(" ").map((value) => value / 1000);
      const [cx, cy] = onMap(x, y, floor);
      draw("circle", { cx, cy, r: mapX(radius), class: "blast" }, layer);
      if (scatter) draw("circle", { cx, cy, r: mapX(scatter), class: "scatter" }, layer);
      draw("path", { d: `M${cx - 8} ${cy} H${cx + 8} M${cx} ${cy - 8} V${cy + 8}`, class: "mark" }, layer);
    }

    function shoot(target) {
      const list = man.querySelector(`details.target[data-target="${target}"]`);
      for (const other of man.querySelectorAll("details.target")) other.open = other === list;
      const shot = list?.querySelector('input[name="order"]');
      if (!shot) {
        live.textContent = fill(say.sayNoShot, { target });
        return;
      }
      field.value = "";
      shot.checked = true;
      live.textContent = shot.closest("label").innerText.replace(/\s+/g, " ").trim();
    }
    function go(spot) {
      const over = climb(spot), along = way(spot);
      if (over && (!along || Math.hypot(over.x - spot.x, over.y - spot.y) < Math.hypot(along.x - spot.x, along.y - spot.y))) {
        field.value = "";
        over.radio.checked = true;
        live.textContent = fill(say.sayGoes, { order: over.radio.value, ap: over.ap });
      } else if (along) {
        give(`${who()} ${tool} to ${along.path}`, along.cost[tool]);
      } else {
        live.textContent = say.sayTooFar;
      }
    }
    // a sector: the point is its middle and its far end
    function watch(spot) {
      const middle = bearing(spot);
      root.querySelector("#wait-from").value = (middle + 330) % 360;
      root.querySelector("#wait-to").value = (middle + 30) % 360;
      root.querySelector("#wait-range").value = Math.max(1, Math.round(away(spot)));
      if (!wait.value.startsWith(`${who()} `)) wait.value = waits()[0].value;
      wait.closest("details").open = true;
      composeWait();
    }
    function composeWait() {
      if (!wait.value) return;
      const value = (name) => root.querySelector(`#wait-${name}`).value;
      const [from, to, range] = [value("from"), value("to"), value("range")];
      const parts = [wait.value];
      if (from !== "" && to !== "") parts.push(`arc ${from}-${to}`);
      if (range !== "") parts.push(`range ${range}`);
      parts.push(`at ${value("at")}`, `chance ${value("chance")}`);
      give(parts.join(" "));
      const watcher = men.find((one) => wait.value.startsWith(`${one.dataset.name} `));
      layer.replaceChildren();
      if (watcher && from !== "" && to !== "") sector(watcher, Number(from), Number(to), Number(range) || Number(wait.selectedOptions[0].dataset.reach));
    }
    function sector(watcher, from, to, far) {
      const [x, y] = watcher.dataset.at.split(",").map(Number);
      const swept = (to - from + 360) % 360 || 360;
      const rim = Array.from({ length: 13 }, (_, step) => (from + swept * step / 12) * Math.PI / 180)
        .map((angle) => onMap(x + Math.sin(angle) * far, y + Math.cos(angle) * far, watcher.dataset.floor).join(","));
      draw("polygon", { points: [onMap(x, y, watcher.dataset.floor).join(","), ...rim].join(" "), class: "sector" }, layer);
    }

    for (const one of men) {
      one.addEventListener("toggle", () => {
        if (!one.open || one === man) return;
        for (const other of men) if (other !== one) other.open = false;
        choose(one);
      });
      for (const list of one.querySelectorAll("select.whole")) list.addEventListener("change", () => { if (list.value) ask(list.value); });
      const where = one.querySelector("select.where");
      const gaits = [...one.querySelectorAll(".going input[type=radio]")];
      if (!where) continue;
      const compose = () => {
        // all men's gaits are one group: his first one is meant until he has another
        const gait = gaits.find((radio) => radio.checked) ?? gaits[0];
        gait.checked = true;
        if (!where.value) return;
        const number = GAITS.indexOf(gait.value.split(" ")[1]);
        const ap = where.selectedOptions[0].dataset.ap.split("/")[number];
        if (ap) give(`${gait.value} ${where.value}`, ap);
        else live.textContent = say.sayTooFar;
      };
      for (const part of [where, ...gaits]) part.addEventListener("change", compose);
    }
    for (const part of root.querySelectorAll(".waiting select, .waiting input")) part.addEventListener("change", composeWait);
    for (const radio of radios()) radio.addEventListener("change", () => {
      live.textContent = radio.closest("label").innerText.replace(/\s+/g, " ").trim();
    });

    svg.addEventListener("mousemove", (event) => {
      const spot = man && pointed(event);
      if (!spot || !GAITS.includes(tool) || event.target.closest(".model")) return;
      const along = way(spot);
      if (along) live.textContent = fill(say.sayNear, { path: along.path, ap: along.cost[tool] });
    });
    svg.addEventListener("click", (event) => {
      const name = event.target.closest(".model")?.dataset.name;
      const own = name && men.find((one) => one.dataset.name === name);
      const spot = pointed(event);
      if (own && GAITS.includes(tool)) own.open = true;
      else if (!man || !spot) return;
      else if (tool.startsWith("throw ")) ask(`${who()} ${tool} at ${name && !own ? name : place(spot)}`);
      else if (tool.startsWith("shell ")) ask(`${who()} fire ${name && !own ? name : place(spot)} with ${tool.slice(6)}`);
      else if (tool === "face") ask(`${who()} face ${bearing(spot)}`);
      else if (tool === "wait") watch(spot);
      else if (name) shoot(name);
      else go(spot);
    });
    box.hidden = false;
    footOfMap(box);
    const first = men.find((one) => one.open) ?? men[0];
    if (first) choose(first);
  }

  // --- deployment ---

  function deployment() {
    const box = root.querySelector(".deployer");
    const layer = svg.querySelector(".reach");
    const live = box.querySelector(".live");
    const zone = box.dataset.zone.split(",").map((value) => value / 1000);
    const places = box.dataset.default.slice("deploy ".length).split("; ").map((text) => {
      const [name, spot] = text.split(" ");
      const [x, y] = spot.split(",").map(Number);
      return { name, x, y, floor: "ground", facing: Number(/facing (\d+)/.exec(text)?.[1] ?? 0), prone: / prone/.test(text) };
    });
    let chosen = places[0];
    const how = box.querySelector(".how");
    const number = (text, most, step) => {
      const made = make("input", "", make("label", `${text} `, how));
      Object.assign(made, { type: "number", min: 0, max: most, step });
      return made;
    };
    const east = number(say.sayEast, svg.dataset.width / 1000, 0.1), north = number(say.sayNorth, svg.dataset.depth / 1000, 0.1), facing = number(say.sayFacing, 359, 1);
    const lying = make("input", "", make("label", `${say.sayProne} `, how));
    lying.type = "checkbox";
    const buttons = places.map((place) => {
      const button = make("button", place.name, box.querySelector(".picks"));
      button.type = "button";
      button.addEventListener("click", () => pick(place));
      return button;
    });
    function pick(place) {
      chosen = place;
      [east.value, north.value, facing.value, lying.checked] = [place.x, place.y, place.facing, place.prone];
      show();
    }
    function show() {
      layer.replaceChildren();
      places.forEach((place, number) => {
        buttons[number].setAttribute("aria-pressed", place === chosen);
        const [x, y] = onMap(place.x, place.y, place.floor);
        const mark = draw("g", { transform: `translate(${x} ${y})`, class: place === chosen ? "placed chosen" : "placed" }, layer);
        draw("path", { d: "M-7 -11 L0 -23 L7 -11 Z", transform: `rotate(${place.facing})` }, mark);
        draw("circle", { r: 14 }, mark);
        draw("text", { y: 6, "text-anchor": "middle", "font-size": 16 }, mark).textContent = place.name[0].toUpperCase() + place.name.split("-")[1];
      });
    }
    const where = (place) => `${tidy(place.x)},${tidy(place.y)}${place.floor === "ground" ? "" : ` on ${place.floor}`}`;
    function tell() {
      write("deploy " + places.map((place) => `${place.name} ${where(place)} facing ${place.facing}${place.prone ? " prone" : ""}`).join("; "));
      show();
    }
    // refuses what is plainly out of bounds; the service looks at all of it before it is confirmed
    function put(spot) {
      if (spot.x < zone[0] || spot.x > zone[2] || spot.y < zone[1] || spot.y > zone[3]) {
        live.textContent = say.sayOutside;
        return false;
      }
      const near = places.find((one) => one !== chosen && one.floor === spot.floor && Math.hypot(one.x - spot.x, one.y - spot.y) < Number(box.dataset.base));
      if (near) {
        live.textContent = fill(say.sayTaken, { model: near.name });
        return false;
      }
      Object.assign(chosen, spot);
      live.textContent = fill(say.sayPlaced, { model: chosen.name, spot: where(chosen) });
      tell();
      return true;
    }
    facing.addEventListener("change", () => { chosen.facing = ((Number(facing.value) % 360) + 360) % 360; tell(); });
    lying.addEventListener("change", () => { chosen.prone = lying.checked; tell(); });
    for (const part of [east, north]) part.addEventListener("change", () => {
      put({ x: Number(east.value), y: Number(north.value), floor: chosen.floor });
    });
    svg.addEventListener("click", (event) => {
      const spot = pointed(event);
      if (!spot || !put(spot)) return;
      const next = places[places.indexOf(chosen) + 1];
      if (next) pick(next);
    });
    box.hidden = false;
    footOfMap(box);
    pick(chosen);
    bringIntoView(chosen.x, chosen.y, chosen.floor);
    live.textContent = say.sayPlace;
  }

  // --- building a force ---

  function building() {
    const lists = JSON.parse(say.lists), titles = JSON.parse(say.titles);
    const box = root.querySelector(".builder");
    const holder = box.querySelector(".teams");
    const live = box.querySelector(".live");
    const teams = [];
    const price = (team) => team.list.points + team.members.flat().reduce((sum, thing) => sum + cost(team, thing), 0);
    const cost = (team, thing) => team.list.slots.some((slot) => slot.choice.includes(thing)) ? 0 : team.list.offers[team.upgrade][thing] ?? 0;

    const adding = box.querySelector(".add");
    const select = make("select", "", adding);
    select.setAttribute("aria-label", say.sayAdd);
    for (const [number, list] of lists.entries()) make("option", `${list.title} (${list.points})`, select).value = number;
    const add = make("button", say.sayAdd, adding);
    add.type = "button";
    add.addEventListener("click", () => {
      teams.push({ list: lists[select.value], upgrade: "", members: [[], [], [], []] });
      show();
    });

    function member(team, index, into) {
      const row = make("p", "", into);
      make("strong", `${fill(say.sayMember, { number: index + 1 })} `, row);
      const carried = team.list.slots[index].has;
      make("span", `${carried.length ? carried.join(", ") : say.sayOwn} `, row);
      team.members[index].forEach((thing, number) => {
        const button = make("button", `${thing} ✕`, row);
        button.type = "button";
        button.title = say.sayRemove;
        button.addEventListener("click", () => { team.members[index].splice(number, 1); show(); });
      });
      const extra = make("select", "", row);
      extra.setAttribute("aria-label", `${fill(say.sayMember, { number: index + 1 })}: ${say.sayExtra}`);
      make("option", say.sayExtra, extra).value = "";
      const own = team.list.slots[index].choice.map((thing) => [thing, 0]);
      for (const [thing, points] of [...own, ...Object.entries(team.list.offers[team.upgrade])]) {
        make("option", `${titles[thing] ?? thing} (${points})`, extra).value = thing;
      }
      extra.addEventListener("change", () => { if (extra.value) { team.members[index].push(extra.value); show(); } });
    }
    function show() {
      holder.replaceChildren();
      teams.forEach((team, number) => {
        const set = make("fieldset", "", holder);
        make("legend", `${team.list.title}: ${price(team)}`, set);
        if (Object.keys(team.list.offers).length > 1) {
          const upgrade = make("select", "", make("label", `${say.sayUpgrade} `, set));
          for (const name of Object.keys(team.list.offers)) make("option", name || "–", upgrade).value = name;
          upgrade.value = team.upgrade;
          upgrade.addEventListener("change", () => { team.upgrade = upgrade.value; show(); });
        }
        team.members.forEach((_, index) => member(team, index, set));
        const remove = make("button", say.sayRemove, set);
        remove.type = "button";
        remove.addEventListener("click", () => { teams.splice(number, 1); show(); });
      });
      const total = teams.reduce((sum, team) => sum + price(team), 0);
      const limit = Number(say.limit);
      live.classList.toggle("short", total > limit);
      live.textContent = fill(total > limit ? say.sayOver : say.sayLeft, { total, limit, left: limit - total, over: total - limit });
      if (!teams.length) return;
      write("build " + teams.map((team) => {
        const extras = team.members.map((things, index) => things.length ? `${index + 1}: ${things.join(" ")}` : "").filter(Boolean);
        return [team.list.name, team.upgrade, extras.length ? `(${extras.join("; ")})` : ""].filter(Boolean).join(" ");
      }).join(" + "));
    }
    box.hidden = false;
    show();
  }

  const typed = field.value;
  if (say.stage === "building") building();
  else if (svg && say.stage === "deployment") deployment();
  else if (svg && say.stage === "activation" && root.querySelector("details.man")) activation();
  if (typed) field.value = typed;
})();
